/** What the stage's own tests deploy: it does what the request's query says. */
let calls = 0;
let busy = 0;

const ACTIONS = {
  event: async (event) => json(event),
  answer: async (event) => JSON.parse(event.body),
  sleep: async (event) => {
    busy += 1;
    const together = busy;
    await new Promise((resolve) => setTimeout(resolve, Number(event.queryStringParameters.ms)));
    busy -= 1;
    return json({ calls, together });
  },
  block: async () => {
    for (;;);
  },
  throw: async () => {
    throw new Error('on purpose');
  },
  exit: async () => process.exit(3),
  big: async (event) => ({ statusCode: 200, body: '"'.repeat(Number(event.queryStringParameters.quotes)) }),
  env: async () => json(process.env),
  context: async (_, context) => json({ ...context, remaining: context.getRemainingTimeInMillis() }),
};

export const handler = async (event, context) => {
  calls += 1;
  return ACTIONS[event.queryStringParameters?.do ?? 'event'](event, context);
};

const json = (value) => ({ statusCode: 200, body: JSON.stringify(value) });
