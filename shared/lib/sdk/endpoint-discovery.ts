/**
 * Replaces the SDK's package `@aws-sdk/middleware-endpoint-discovery` in the bundles. DynamoDB's client only configures it: none of its commands
 * discovers endpoints.
 * @returns the configuration as it is
 */
export function resolveEndpointDiscoveryConfig<Config>(config: Config): Config {
  return config;
}

/** The setting that the client reads from the environment: always off. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => false,
  configFileSelector: () => false,
  default: false,
};
