import { visible } from '../../base/lib/visible.ts'
import type { Domain } from './call.ts'

/** What became of a message for an open session, as steps of its story. */
export function liveSteps(turnId: string, { live }: Pick<Domain, 'live'>): { at: number; text: string }[] {
  const row = live.of(turnId)
  if (row === undefined) return []
  const { to, offeredAt, noticedAt, letInAt, pushedAt, until, isWaiting, message } = row
  const short = turnId.slice(0, 8)
  const steps = [
    [noticedAt, `The open session of ${to} heard that a message waits, without its words.`],
    [noticedAt === null ? null : letInAt, 'The person let it in.'],
    [pushedAt, `It was given to the open session of ${to}.`],
    [
      isWaiting ? offeredAt : null,
      `It waits for your yes until ${new Date(until).toISOString()}: "iris promote ${short}" lets it in, "iris cancel ${short}" refuses it. It says: ${visible(message)}`,
    ],
  ] as const
  return steps.flatMap(([at, text]) => (at === null ? [] : [{ at, text }]))
}
