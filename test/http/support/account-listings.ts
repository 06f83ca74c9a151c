import { ROUTES } from '../../../infra/config/routes.ts';

/** The routes that list what one of the caller's accounts has. */
export const ACCOUNT_LISTINGS = ROUTES.filter(({ operation }) => operation.input.query?.shape.account_id !== undefined);
