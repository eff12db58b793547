import type { Output } from '../../../adapters/client/tool-call.ts'
import { columns } from '../../../app/cli/columns.ts'
import { localTimes } from '../../../app/cli/moment.ts'
import { secondsText } from '../../../base/lib/duration.ts'
import { limitWords } from '../../../base/protocol/limit.ts'
import { shownPair } from '../../../base/protocol/pair.ts'

export function teamLines({ teams, configProblem }: Output<'list_teams'>, width: number): readonly string[] {
  if (teams.length === 0) return ['There are no teams yet. Add one with "iris add-team <path>".']
  const lines = columns(
    width,
    teams.map(({ name, status, link, config }) => [
      name,
      status ?? link?.state ?? '',
      config.path ?? '',
      limitText(config) ?? config.description ?? '',
    ]),
  )
  return [...lines, ...(configProblem === undefined ? [] : ['', configProblem])]
}

type Limit = Pick<Output<'list_teams'>['teams'][number]['config'], 'limitedUntil' | 'limitedBy'>

/** Why messages for the team wait; undefined if they don't. */
export function limitText({ limitedUntil, limitedBy }: Limit): string | undefined {
  return limitedUntil === undefined ? undefined : limitWords(limitedBy, limitedUntil, localTimes())
}

export function wakeLines({ team, from, thread, alreadyAwake, duration }: Output<'team_wake'>): readonly string[] {
  const how = alreadyAwake ? 'was already awake' : `is awake (${secondsText(duration)})`
  return [`${shownPair({ from, to: team, thread })} ${how}.`]
}

export function wakeAllLines({ teams, message }: Output<'team_wake_all'>, width: number): readonly string[] {
  return [
    ...columns(
      width,
      teams.map(({ team, status, error }) => [team, status, error?.message ?? '']),
    ),
    message,
  ]
}

export function sleepLines({ team, from, thread, status, cancelledTurnId }: Output<'team_sleep'>): readonly string[] {
  const how = status === 'asleep' ? 'is now asleep' : 'was already asleep'
  const cancelled = cancelledTurnId === undefined ? '' : ` Message ${cancelledTurnId} was cancelled.`
  return [`${shownPair({ from, to: team, thread })} ${how}.${cancelled}`]
}
