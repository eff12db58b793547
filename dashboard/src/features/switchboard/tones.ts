import type { Standing } from '../../../../src/base/protocol/standing.ts'
import type { Tone } from '../../shared/ui/badge.tsx'

export const tones: Readonly<Record<Standing, Tone>> = {
  'left alone': 'bad',
  'asks you': 'warn',
  'held by you': 'warn',
  working: 'busy',
  starting: 'busy',
  waiting: 'busy',
  idle: 'good',
  ending: 'plain',
  asleep: 'plain',
  archived: 'plain',
}
