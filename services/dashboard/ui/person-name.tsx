interface PersonNameProps {
  readonly id: string;
  /** Null for somebody who is not in the organisation any more. */
  readonly name: string | null;
}

/** A person by name, and by id where the name is gone; the id tells apart people of one name. */
export const PersonName = ({ id, name }: PersonNameProps) =>
  name === null ? <span className="mono">{id}</span> : <bdi title={id}>{name}</bdi>;
