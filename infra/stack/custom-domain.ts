import { CfnOutput } from 'aws-cdk-lib';
import { DomainName, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Construct } from 'constructs';
import type { Settings } from '../config/settings.ts';

/** Adds a domain name of the operator, under which the API has the same path: `https://api.example.com/v2`. */
export function addCustomDomain(
  scope: Construct,
  { api, stageName }: { readonly api: RestApi; readonly stageName: string },
  { name, certificateArn }: NonNullable<Settings['customDomain']>,
): void {
  const domain = new DomainName(scope, 'Domain', {
    domainName: name,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  domain.addBasePathMapping(api, { basePath: stageName, stage: api.deploymentStage });
  new CfnOutput(scope, 'DomainTarget', {
    value: domain.domainNameAliasDomainName,
    description: `The target of the DNS record of ${name} (CNAME or alias)`,
  });
}
