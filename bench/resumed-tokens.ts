import type { TurnResult } from '../src/base/protocol/turn.ts'
import type { Row } from './row.ts'
import { setting } from './setting.ts'

/** P11: what a resumed turn costs, from the `usage` of its result. The scripted model counts a token for four bytes. */
export async function resumedTokens(): Promise<readonly Row[]> {
  await using iris = await setting()
  await iris.caller.send('backend', 'hello')
  const warm = (await iris.caller.send('backend', 'hello')) as TurnResult
  await iris.caller.call('team_sleep', { team: 'backend' })
  const resumed = (await iris.caller.send('backend', 'hello')) as TurnResult
  const said = ({ usage }: TurnResult): string =>
    `input ${usage!.inputTokens}, cache read ${usage!.cacheReadTokens}, cache write ${usage!.cacheWriteTokens}`
  return [
    {
      id: 'P11',
      what: 'tokens of a warm turn (scripted model)',
      measured: said(warm),
      aim: 'reported',
      data: warm.usage,
    },
    {
      id: 'P11',
      what: 'tokens of a resumed turn (scripted model)',
      measured: said(resumed),
      aim: 'reported',
      data: resumed.usage,
    },
  ]
}
