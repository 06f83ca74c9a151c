/** `npx endcap report` has become a URL; it prints how to request one. */
process.stdout.write(`usage: npx endcap report

A report is a URL; functions/README.md has its parameters. On the local stage:
  curl -G http://localhost:3000/v2/report/pla -H 'Ocp-Apim-Subscription-Key: ecap_demo_agency' \\
    -d by=campaign_name -d metrics=cost -d start=latest-6d -d end=latest -d format=csv
`);
