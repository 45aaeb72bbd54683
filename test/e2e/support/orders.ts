import type { Response } from 'supertest';
import type { Sample } from './sample.js';

export const CARDS = {
  good: '4242 4242 4242 4242',
  declined: '4000000000000002',
  unavailable: '4000000000000341',
  recovers: '4000000000000119',
} as const;

export const tea = { sku: 'tea', quantity: 2 };

export const postOrder = async ({ http }: Pick<Sample, 'http'>, card: string = CARDS.good): Promise<Response> =>
  http.post('/orders').send({ card, items: [tea] });

/** Orders until the first is refused; gives the ids of those that were accepted, and the refusal. */
export async function fillUp(sample: Sample): Promise<{ accepted: string[]; refusal: Response }> {
  const accepted: string[] = [];
  for (;;) {
    const answer = await postOrder(sample);
    if (answer.status !== 202) return { accepted, refusal: answer };
    accepted.push((answer.body as { id: string }).id);
  }
}
