/** The options of a select: values with what they are called. */
export const Options = ({ of }: { readonly of: Readonly<Record<string, string>> }) =>
  Object.entries(of).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
