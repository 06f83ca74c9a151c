import { LOCAL_ACCOUNT, LOCAL_REGION } from './pseudo-parameters.ts';

/** What `Ref` and `Fn::GetAtt` return for resources of the template, by logical id. */
export type ResourceValues = ReadonlyMap<
  string,
  { readonly ref: string; readonly attributes: Readonly<Record<string, string>> }
>;

/** Resolves the intrinsic functions in a template's values. */
export class ValueResolver {
  readonly #values: ResourceValues;
  readonly #pseudo: Readonly<Record<string, string>>;

  constructor(values: ResourceValues, stackName: string) {
    this.#values = values;
    this.#pseudo = {
      'AWS::AccountId': LOCAL_ACCOUNT,
      'AWS::Partition': 'aws',
      'AWS::Region': LOCAL_REGION,
      'AWS::StackName': stackName,
      'AWS::URLSuffix': 'amazonaws.com',
    };
  }

  /**
   * @param where names the value in error messages
   * @returns the value as text; numbers and booleans are converted
   * @throws Error if it is null, a list, or any other object than one of Ref, Fn::GetAtt, Fn::Join and Fn::Sub (a text with `${Name}` only), or refers to
   * an unknown resource or attribute
   */
  text(value: unknown, where: string): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    const [name, argument] = singleEntry(value) ?? [];
    if (name === 'Ref') return this.#ref(argument, where);
    if (name === 'Fn::GetAtt' && Array.isArray(argument)) return this.#attribute(argument[0], argument[1], where);
    if (name === 'Fn::Join' && Array.isArray(argument) && Array.isArray(argument[1])) {
      return argument[1].map((part: unknown) => this.text(part, where)).join(this.text(argument[0], where));
    }
    if (name === 'Fn::Sub' && typeof argument === 'string') {
      return argument.replace(/\$\{([^}]+)\}/g, (_, variable: string) => this.#ref(variable, where));
    }
    throw new Error(`${where}: the local stage cannot resolve ${JSON.stringify(value)}`);
  }

  #ref(name: unknown, where: string): string {
    const key = String(name);
    const found = this.#pseudo[key] ?? this.#values.get(key)?.ref;
    if (found === undefined) throw new Error(`${where}: the local stage has no value for Ref ${key}`);
    return found;
  }

  #attribute(resource: unknown, attribute: unknown, where: string): string {
    const found = this.#values.get(String(resource))?.attributes[String(attribute)];
    if (found === undefined) throw new Error(`${where}: the local stage has no value for ${resource}.${attribute}`);
    return found;
  }
}

function singleEntry(value: unknown): [string, unknown] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value);
  return entries.length === 1 ? entries[0] : undefined;
}
