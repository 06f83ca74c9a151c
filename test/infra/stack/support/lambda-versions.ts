import { resourcesOf, type Template } from './synthesized.ts';

/**
 * The versions of a stack's functions, as deployments publish and delete them. A version's logical id ends in a hash of its code and settings, so equal ids are
 * equal versions.
 */
export class LambdaVersions {
  /** By function, in the order in which they were published. */
  readonly #existing = new Map<string, string[]>();
  #deployed: Template = { Resources: {} };

  /** @throws Error if Lambda would publish nothing, because the last version equals the new one */
  deploy(template: Template, outcome: 'succeeds' | 'fails' = 'succeeds'): void {
    const before = resourcesOf(this.#deployed, 'AWS::Lambda::Version');
    const after = resourcesOf(template, 'AWS::Lambda::Version');
    const created = [...after].filter(([id]) => !before.has(id));
    for (const [id] of created) {
      const versions = this.of(id);
      if (versions.at(-1) === id) throw new Error(`A version for this Lambda function exists (${id})`);
      this.#existing.set(functionOf(id), [...versions, id]);
    }
    if (outcome === 'fails') {
      this.#delete(created.flatMap(([id, { DeletionPolicy }]) => (DeletionPolicy === 'Retain' ? [] : [id])));
      return;
    }
    const removed = [...before].filter(([id]) => !after.has(id));
    this.#delete(removed.flatMap(([id, { DeletionPolicy = 'Delete' }]) => (DeletionPolicy === 'Delete' ? [id] : [])));
    this.#deployed = template;
  }

  /** @returns the existing versions of the same function */
  of(id: string): readonly string[] {
    return this.#existing.get(functionOf(id)) ?? [];
  }

  #delete(ids: readonly string[]): void {
    for (const id of ids) {
      const versions = [...this.of(id)];
      versions.splice(versions.lastIndexOf(id), 1);
      this.#existing.set(functionOf(id), versions);
    }
  }
}

const functionOf = (versionId: string): string => versionId.replace(/CurrentVersion.*/, '');
