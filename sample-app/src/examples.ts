const JSON_BODY = `-H 'Content-Type: application/json' -d`;

/** What to try first, ready to paste. */
export function examples(url: string): string {
  return `
# An order goes its way: 202 and a Location, where GET shows its state.
curl -i ${url}/orders ${JSON_BODY} '{"card":"4242424242424242","items":[{"sku":"tea","quantity":2}]}'
# An order that cannot be paid: tried again with longer and longer pauses, then failed, never shipped.
curl -i ${url}/orders ${JSON_BODY} '{"card":"4000000000000341","items":[{"sku":"cup","quantity":1}]}'
# All cities of the world through three stages: 202 and a Location, where GET shows progress and result.
curl -i -X POST ${url}/imports/cities
`;
}
