import type { KeyValue } from '../../columns/column.ts';
import type { Joins } from '../plan/joins.ts';

/** Codes of the ad groups that facts belong to, and of their campaigns: to tell a row of one ad group from a row of several. */
export class EntityCodes {
  readonly #joins: Joins;
  readonly #adGroups = new Map<KeyValue, number>();
  readonly #campaigns = new Map<KeyValue, number>();
  /** An ad group of each code: by ad group code, and by campaign code. */
  readonly #adGroupOf: { advertiserId: number; adGroupId: KeyValue }[] = [];
  readonly #adGroupOfCampaign: { advertiserId: number; adGroupId: KeyValue }[] = [];

  constructor(joins: Joins) {
    this.#joins = joins;
  }

  adGroup(advertiserId: number, adGroupId: KeyValue): number {
    return codeIn(this.#adGroups, adGroupId, () => this.#adGroupOf.push({ advertiserId, adGroupId }));
  }

  campaign(advertiserId: number, adGroupId: KeyValue): number {
    const campaignId = this.#joins.adGroup(advertiserId, adGroupId, 'campaignId');
    return codeIn(this.#campaigns, campaignId, () => this.#adGroupOfCampaign.push({ advertiserId, adGroupId }));
  }

  /** @returns an ad group that the code (an ad group's, or a campaign's) stands for. */
  ownerOf(kind: 'ad_group' | 'campaign', code: number): { advertiserId: number; adGroupId: KeyValue } {
    const owner = (kind === 'ad_group' ? this.#adGroupOf : this.#adGroupOfCampaign)[code];
    if (owner === undefined) throw new RangeError(`no ${kind} has the code ${code}`);
    return owner;
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
