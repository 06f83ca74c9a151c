type Names<Groups> = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

/** The members of all groups in one object. */
type Ungrouped<Groups> = {
  readonly [Name in Names<Groups>]: {
    [Group in keyof Groups]: Name extends keyof Groups[Group] ? Groups[Group][Name] : never;
  }[keyof Groups];
};

/** @returns the members of all groups in one object */
export function ungroup<Groups extends object>(groups: Groups): Ungrouped<Groups> {
  return Object.assign({}, ...Object.values(groups));
}
