import type { FormEvent } from "react";
import { type VendorId, vendorIdSchema } from "#contracts/integration/events";
import { Field } from "../ui/field.tsx";
import { FormEnd } from "../ui/form-end.tsx";
import { formText } from "../ui/form-text.ts";
import { TextField } from "../ui/text-field.tsx";
import { useConnectVendor } from "./connector-queries.ts";
import { SecretField } from "./secret-field.tsx";

interface VendorFormProps {
  readonly title: string;
  /** Which may be chosen; or the one that it is about. */
  readonly vendors: readonly { readonly id: VendorId; readonly name: string }[] | VendorId;
  readonly baseUrl?: string | null;
  readonly onConnected: (vendor: VendorId) => void;
}

/** Takes a vendor's token; whoever has connected it before gives a new one here. */
export const VendorForm = ({ title, vendors, baseUrl = null, onConnected }: VendorFormProps) => {
  const connect = useConnectVendor(onConnected);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = event.currentTarget;
    const form = new FormData(fields);
    const vendor = vendorIdSchema.parse(formText(form, "vendor"));
    const address = formText(form, "baseUrl");
    connect.mutate(
      { vendor, token: formText(form, "token"), baseUrl: address === "" ? null : address },
      { onSuccess: () => fields.reset() },
    );
  };
  return (
    <form className="panel form" onSubmit={submit} aria-label={title}>
      <h2>{title}</h2>
      <div className="field-row field-row-even">
        {typeof vendors === "string" ? (
          <input type="hidden" name="vendor" value={vendors} />
        ) : (
          <Field label="Service">
            {(ids) => (
              <select {...ids} name="vendor">
                {vendors.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <SecretField label="Access token" name="token" hint="Kept encrypted, shown to nobody." />
        <TextField
          label="Address"
          hint="Only for a self-hosted installation."
          name="baseUrl"
          type="url"
          maxLength={500}
          defaultValue={baseUrl ?? ""}
          spellCheck={false}
        />
      </div>
      <FormEnd sent={connect} done="The token was taken.">
        {typeof vendors === "string" ? "Give token" : "Connect"}
      </FormEnd>
    </form>
  );
};
