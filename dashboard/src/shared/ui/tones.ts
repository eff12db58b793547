import type { Standing } from '../../../../src/base/protocol/standing.ts'
import type { Tone } from './badge.tsx'

export const tones: Readonly<Record<Standing, Tone>> = {
  failed: 'bad',
  'waiting for you': 'warn',
  'open elsewhere': 'warn',
  unreachable: 'warn',
  working: 'busy',
  starting: 'busy',
  queued: 'busy',
  idle: 'good',
  ending: 'plain',
  asleep: 'plain',
  archived: 'plain',
}
