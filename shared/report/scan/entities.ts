import type { KeyValue } from '../../columns/column.ts';
import type { Joins } from '../plan/joins.ts';

export type EntityKind = 'ad_group' | 'campaign';

/** An ad group that stands for an entity: for itself, or for its campaign. */
interface AdGroupKey {
  readonly advertiserId: number;
  readonly adGroupId: KeyValue;
}

/** The codes of the ad groups that facts belong to, and of their campaigns, to recognize groups whose facts all belong to one. */
export class EntityCodes {
  readonly #joins: Joins;
  /** Both by id, which is unique among all advertisers. */
  readonly #adGroups = new Map<KeyValue, number>();
  readonly #campaigns = new Map<KeyValue, number>();
  readonly #adGroupsByCode: AdGroupKey[] = [];
  /** For each ad group code, the code of its campaign. */
  readonly #campaignCodes: number[] = [];
  /** For each campaign code, one of the campaign's ad groups. */
  readonly #adGroupsByCampaignCode: AdGroupKey[] = [];

  constructor(joins: Joins) {
    this.#joins = joins;
  }

  /** @returns the code of the ad group */
  adGroup(advertiserId: number, adGroupId: KeyValue): number {
    return codeIn(this.#adGroups, adGroupId, () => {
      this.#adGroupsByCode.push({ advertiserId, adGroupId });
      this.#campaignCodes.push(this.#campaign(advertiserId, adGroupId));
    });
  }

  /** @returns the code of the campaign of the ad group with the code */
  campaignOf(adGroupCode: number): number {
    return this.#campaignCodes[adGroupCode] ?? 0;
  }

  #campaign(advertiserId: number, adGroupId: KeyValue): number {
    const campaignId = this.#joins.adGroup(advertiserId, adGroupId, 'campaignId');
    return codeIn(this.#campaigns, campaignId, () => this.#adGroupsByCampaignCode.push({ advertiserId, adGroupId }));
  }

  /** @returns the ad group with the code, or one ad group of the campaign with the code */
  adGroupOf(kind: EntityKind, code: number): AdGroupKey {
    const adGroup = (kind === 'ad_group' ? this.#adGroupsByCode : this.#adGroupsByCampaignCode)[code];
    if (adGroup === undefined) throw new RangeError(`no ${kind} has the code ${code}`);
    return adGroup;
  }
}

function codeIn(codes: Map<KeyValue, number>, value: KeyValue, onNew: () => void): number {
  let code = codes.get(value);
  if (code === undefined) {
    code = codes.size;
    codes.set(value, code);
    onNew();
  }
  return code;
}
