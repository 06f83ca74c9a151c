/** @returns the `meta` of a page */
export const page = (offset: number, size: number, total: number) => ({
  page: { offset, size, total, hasMore: offset + size < total },
});

/** @returns the ids on the page, or status, code and wrong fields of the problem */
export async function outcome(response: Promise<{ status: number; body: unknown }>): Promise<unknown> {
  const { status, body } = await response;
  const { data, code, errors } = body as { data?: { id: number }[]; code?: string; errors?: { pointer: string }[] };
  return status === 200 ? data?.map(({ id }) => id) : [status, code, ...(errors ?? []).map(({ pointer }) => pointer)];
}
