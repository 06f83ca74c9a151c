/** What the page shows of the operator. */
export interface Brand {
  readonly name?: string;
  /** A data: URL. */
  readonly logo?: string;
  readonly contact?: string;
  /** False: keys are not kept on devices. */
  readonly keepKeys?: boolean;
}

/** The operator's logo and name. */
export function BrandName({ name = 'Endcap', logo }: Brand) {
  return (
    <>
      {logo === undefined ? null : <img src={logo} alt="" />} {name} <span>Explorer</span>
    </>
  );
}
