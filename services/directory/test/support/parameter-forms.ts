/** Per parameter of `/api/items`: valid queries, and invalid ones with their reason. */
export const PARAMETER_FORMS: Readonly<
  Record<string, { readonly valid: readonly string[]; readonly invalid: Readonly<Record<string, string>> }>
> = {
  type: {
    valid: ["type=place", "type=place,actor", "type=place&type=actor", "type=-place", "type=place,-place"],
    invalid: { "type=": "empty", "type=lieu": "not_allowed", "type=-lieu": "not_allowed", "type=place,": "empty" },
  },
  departement: {
    valid: ["departement=Ain", "departement=c%C3%B4tes+d%27armor", "departement=REUNION"],
    invalid: {
      "departement=": "empty",
      "departement=Aisn": "unknown_value",
      "departement=Ain,Aisne": "unknown_value",
      "departement=Ain&departement=Aisne": "repeated",
      "departement=01": "unknown_value",
      "departement=-Ain": "unknown_value",
    },
  },
  departements: {
    valid: ["departements=ain", "departements=01,2a", "departements=ain&departements=974"],
    invalid: {
      "departements=": "empty",
      "departements=Côte-dOr": "unknown_value",
      "departements=20": "unknown_value",
      "departements=-ain": "unknown_value",
    },
  },
  region: {
    valid: ["region=bretagne", "region=53", "region=Île-de-France", "region=bretagne,11"],
    invalid: { "region=": "empty", "region=bretange": "unknown_value", "region=-bretagne": "unknown_value" },
  },
  commune: {
    valid: ["commune=Rennes", "commune=saint%20etienne", "commune=ST-%C3%89TIENNE", "commune=BourgEnBresse"],
    invalid: {
      "commune=": "empty",
      "commune=Renes": "unknown_value",
      "commune=-Rennes": "unknown_value",
      "commune=%20-Rennes": "unknown_value",
      "commune=Rennes,Brest": "unknown_value",
      "commune=%CE%95%CE%BB": "unknown_value",
      "commune=Rennes&commune=Rennes": "repeated",
      [`commune=${"a".repeat(101)}`]: "too_long",
    },
  },
  insee: {
    valid: ["insee=35238", "insee=2a004,2B033", "insee=35238&insee=99999"],
    invalid: {
      "insee=": "empty",
      "insee=3523": "wrong_form",
      "insee=352380": "wrong_form",
      "insee=2C004": "wrong_form",
      "insee=-35238": "wrong_form",
      [`insee=${Array(101).fill("35238").join(",")}`]: "too_many",
    },
  },
  code_postal: {
    valid: ["code_postal=35000", "code_postal=35,974,2200", "code_postal=99999"],
    invalid: {
      "code_postal=": "empty",
      "code_postal=3": "wrong_form",
      "code_postal=350000": "wrong_form",
      "code_postal=2A": "wrong_form",
      "code_postal=-35": "wrong_form",
      [`code_postal=${Array(101).fill("35").join(",")}`]: "too_many",
    },
  },
  source: {
    valid: ["source=triptych-sample", "source=Triptych%20sample", "source=-TRIPTYCH-SAMPLE"],
    invalid: {
      "source=": "empty",
      "source=-": "wrong_form",
      "source=--triptych-sample": "wrong_form",
      "source=triptych": "unknown_value",
      "source=-nothing": "unknown_value",
      [`source=${Array(21).fill("triptych-sample").join(",")}`]: "too_many",
    },
  },
  bbox: {
    valid: ["bbox=-2.2,47.9,-1.4,48.3", "bbox=170,-30,-170,30", "bbox=-180,-90,180,90", "bbox=2,48,2,48"],
    invalid: {
      "bbox=": "empty",
      "bbox=1,2,3": "not_a_box",
      "bbox=1,2,3,4,5": "not_a_box",
      "bbox=a,b,c,d": "not_a_box",
      "bbox=181,0,182,1": "not_a_box",
      "bbox=0,-91,1,1": "not_a_box",
      "bbox=0,50,1,49": "not_a_box",
      "bbox=47.9,-2.2,48.3,-1.4": "swapped",
      "bbox=48.3,-2.2,47.9,-1.4": "swapped",
      "bbox=1e1,2,3,4": "not_a_box",
      "bbox=1,2,3,4&bbox=1,2,3,4": "repeated",
    },
  },
  ids: {
    valid: ["ids=place/rennes", "ids=place/rennes,article/bretagne&limit=1&offset=1&fields=title", "ids=place/no-such"],
    invalid: {
      "ids=": "empty",
      "ids=rennes": "wrong_form",
      "ids=lieu/rennes": "wrong_form",
      "ids=place/Rennes": "wrong_form",
      "ids=-place/rennes": "wrong_form",
      [`ids=place/${"x".repeat(130)}`]: "too_long",
      [`ids=${Array.from({ length: 101 }, (_, n) => `place/x-${n}`).join(",")}`]: "too_many",
    },
  },
  tag: {
    valid: ["tag=prefecture", "tag=a,b&tag=c", "tag=Préfecture", "tag=-a,b", "tag=-Préfecture"],
    invalid: {
      "tag=": "empty",
      "tag=-": "wrong_form",
      "tag=--ile": "wrong_form",
      [`tag=${Array.from({ length: 21 }, (_, n) => `t${n}`).join(",")}`]: "too_many",
    },
  },
  q: {
    valid: ["q=rennes", "q=l%27eau", "q=100%", "q=mus%25E9e", `q=${"a".repeat(200)}`],
    invalid: {
      "q=": "empty",
      [`q=${"a".repeat(201)}`]: "too_long",
      "q=%21%3F": "empty_query",
      "q=a&q=b": "repeated",
      "q=%20": "empty_query",
      "q=mus%E9e": "wrong_form",
      "%71=mus%E9e": "wrong_form",
    },
  },
  near: {
    valid: ["near=48.1,-1.6", "near=-90,180", "near=90,-180", "near=48,2", `near=44.84,${-0.5790710449218751}`],
    invalid: {
      "near=": "empty",
      "near=48.1": "not_a_point",
      "near=91,0": "not_a_point",
      "near=0,181": "not_a_point",
      "near=-4.49,48.39": "swapped",
      "near=55.45,-20.88": "swapped",
      "near=a,b": "not_a_point",
      "near=1,2,3": "not_a_point",
      "near=NaN,1": "not_a_point",
      "near=1e1,2": "not_a_point",
      "near=1,2&near=1,2": "repeated",
    },
  },
  radius: {
    valid: ["near=48,2&radius=0.001", "near=48,2&radius=200", `near=48,2&radius=${0.1 + 0.2}`],
    invalid: {
      "radius=5": "needs_near",
      "near=48,2&radius=0": "out_of_range",
      "near=48,2&radius=200.1": "out_of_range",
      "near=48,2&radius=-1": "out_of_range",
      "near=48,2&radius=x": "wrong_type",
      "near=48,2&radius=Infinity": "wrong_type",
    },
  },
  limit: {
    valid: ["limit=0", "limit=100", "limit=all&format=csv"],
    invalid: {
      "limit=101": "out_of_range",
      "limit=-1": "out_of_range",
      "limit=1.5": "wrong_type",
      "limit=many": "wrong_type",
      "limit=": "empty",
      "limit=1&limit=2": "repeated",
      "limit=all": "needs_format",
      "limit=all&format=json": "needs_format",
    },
  },
  offset: {
    valid: ["offset=0", "offset=1000000000"],
    invalid: {
      "offset=1000000001": "out_of_range",
      "offset=-1": "out_of_range",
      "offset=x": "wrong_type",
      "offset=1&offset=1": "repeated",
    },
  },
  sort: {
    valid: ["sort=title", "sort=-updated_at", "q=a&sort=relevance", "near=48,2&sort=distance", "near=48,2&sort=title"],
    invalid: {
      "sort=relevance": "needs_q",
      "sort=distance": "needs_near",
      "sort=name": "not_allowed",
      "sort=": "empty",
      "sort=title&sort=title": "repeated",
    },
  },
  facets: {
    valid: ["facets=type", "facets=type,tag,region,departement,commune,source", "facets=type&format=csv"],
    invalid: {
      "facets=commune,insee": "not_allowed",
      "facets=": "empty",
    },
  },
  format: {
    valid: ["format=json", "format=geojson", "format=csv", "format=ndjson"],
    invalid: {
      "format=xml": "not_allowed",
      "format=ld%2Bjson": "not_allowed",
      "format=": "empty",
      "format=csv&format=csv": "repeated",
    },
  },
  fields: {
    valid: ["fields=title", "fields=title,location"],
    invalid: {
      "fields=titel": "not_allowed",
      "fields=": "empty",
      "fields=distance_km": "needs_near",
      "fields=highlights": "needs_highlight",
    },
  },
  highlight: {
    valid: ["highlight=true&q=mer", "highlight=false", "highlight=true&q=mer&format=ndjson"],
    invalid: {
      "highlight=true": "needs_q",
      "highlight=true&q=mer&format=csv": "needs_format",
      "highlight=yes": "wrong_type",
      "highlight=": "empty",
    },
  },
  since: {
    valid: ["since=2026-01-01T00:00:00Z", "since=2026-01-01T00:00:00.5%2B02:00"],
    invalid: {
      "since=2026-01-01": "wrong_form",
      "since=1-4ab": "wrong_form",
      "since=": "empty",
      "since=2026-01-01T00:00:00Z&since=2026-01-01T00:00:00Z": "repeated",
    },
  },
  strict: {
    valid: ["strict=true&q=port", "strict=false"],
    invalid: { "strict=no": "wrong_type", "strict=": "empty", "strict=true&strict=true": "repeated" },
  },
  synonyms: {
    valid: ["synonyms=true", "synonyms=false&q=port"],
    invalid: { "synonyms=no": "wrong_type", "synonyms=": "empty", "synonyms=true&synonyms=true": "repeated" },
  },
  correct: {
    valid: ["correct=true", "correct=false"],
    invalid: { "correct=no": "wrong_type", "correct=": "empty", "correct=true&correct=true": "repeated" },
  },
};
