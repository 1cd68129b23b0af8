/** An example request for every parameter, which returns 200 on the sample. */
const EXAMPLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  getDiscovery: { key: "/api?key=$DIRECTORY_KEY" },
  getMeta: { key: "/api/meta?key=$DIRECTORY_KEY" },
  getItems: {
    type: "/api/items?type=place,actor",
    departement: "/api/items?departement=Cotes%20d%20Armor",
    departements: "/api/items?departements=ain,2A,971",
    region: "/api/items?region=bretagne,Normandie,11",
    commune: "/api/items?commune=St%20Etienne",
    insee: "/api/items?insee=35238,2A004",
    code_postal: "/api/items?code_postal=35,22000",
    source: "/api/items?source=-triptych-sample",
    bbox: "/api/items?bbox=-2.2,47.9,-1.4,48.3",
    ids: "/api/items?ids=place/rennes,article/bretagne",
    tag: "/api/items?tag=littoral,montagne&tag=ile",
    q: "/api/items?q=cathedrales%20gothiq",
    near: "/api/items?near=48.117,-1.678",
    radius: "/api/items?near=48.117,-1.678&radius=80",
    limit: "/api/items?limit=0&region=corse",
    offset: "/api/items?type=place&limit=20&offset=40",
    sort: "/api/items?q=port&sort=title",
    facets: "/api/items?limit=0&facets=type,region,tag",
    format: "/api/items?type=article&format=csv",
    fields: "/api/items?type=place&fields=title,commune,tags",
    highlight: "/api/items?q=cathedrales&highlight=true",
    since: "/api/items?since=$TODAYT00:00:00Z",
    correct: "/api/items?q=cathedralle&correct=false",
    strict: "/api/items?q=port%20gothique%20vesoul&strict=true",
    synonyms: "/api/items?q=museum&synonyms=false",
    key: "/api/items?limit=1&key=$DIRECTORY_KEY",
  },
  getItem: {
    type: "/api/item/article/bretagne",
    slug: "/api/item/place/bourg-en-bresse",
    fields: "/api/item/place/rennes?fields=title,summary,tags",
    format: "/api/item/place/rennes?format=geojson",
    key: "/api/item/place/rennes?key=$DIRECTORY_KEY",
  },
  suggest: {
    q: "/api/suggest?q=renn",
    type: "/api/suggest?q=bou&type=place",
    limit: "/api/suggest?q=saint&limit=3",
    key: "/api/suggest?q=renn&key=$DIRECTORY_KEY",
  },
  getUsage: {
    from: "/api/usage?from=$TODAY",
    to: "/api/usage?from=$TODAY&to=$TODAY",
    key: "/api/usage?key=$DIRECTORY_KEY",
  },
};

/** The shell fills in `$DIRECTORY_KEY`. Throws for a parameter without an example. */
export function parameterExample(endpoint: string, parameter: string, today: string): string {
  const example = EXAMPLES[endpoint]?.[parameter];
  if (example === undefined) throw new Error(`the docs page has no example for parameter ${parameter} of ${endpoint}`);
  return example.replaceAll("$TODAY", today);
}
