/** Replaces the validator of JSON Schema, 150 kB, in the bundle of the tools for agents: they ask people for nothing, and check their arguments themselves. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('the bundle has no validator: remove the alias of @modelcontextprotocol/server/_shims');
  }
}

export { default as process } from 'node:process';
