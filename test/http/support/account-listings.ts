import { ROUTES } from '../../../infra/config/routes.ts';
import { OPERATIONS } from '../../../shared/contract/openapi/operations.ts';

/** The routes that list what one of the caller's accounts has. */
export const ACCOUNT_LISTINGS = ROUTES.filter(({ id }) => OPERATIONS[id]?.query?.shape.account_id !== undefined);
