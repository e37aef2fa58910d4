export type OrganizationCommand =
  /** `days`: null for never. */
  | { readonly type: "SetAutoDeleteDefault"; readonly days: number | null }
  | { readonly type: "ClearAutoDeleteDefault" };
