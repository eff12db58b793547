import type { Output } from '../../../adapters/client/tool-call.ts'
import { columns } from '../../../app/cli/columns.ts'
import { localTime } from '../../../app/cli/moment.ts'
import { visible } from '../../../base/lib/visible.ts'

export function callbackLines({ callbacks }: Output<'list_callbacks'>, width: number): readonly string[] {
  if (callbacks.length === 0) return ['No callbacks are configured. Add them under callbacks in config.yaml.']
  const rows = callbacks.map(({ callback, host, teams, waiting, failed, dropped, oldestAt, nextTryAt, ...state }) => [
    callback,
    `to ${host}`,
    teams === undefined ? 'all teams' : teams.join(', '),
    stateText(state),
    `${waiting} waiting${oldestAt === undefined ? '' : `, the oldest since ${localTime(oldestAt)}`}`,
    [failed > 0 ? `${failed} given up` : '', dropped > 0 ? `${dropped} dropped` : ''].filter(Boolean).join(', '),
    nextTryAt === undefined ? '' : `next try ${localTime(nextTryAt)}`,
    state.problem === undefined ? '' : visible(state.problem),
  ])
  return [...columns(width, rows)]
}

export function testLines({ callback, isTaken, status, problem }: Output<'test_callback'>): readonly string[] {
  if (isTaken) return [`${callback} accepted it: HTTP status ${status}.`]
  return [`${callback} did not accept it: ${visible(problem ?? 'nobody knows why')}.`]
}

export function replayLines({ callback, events }: Output<'replay_callback'>): readonly string[] {
  if (events === 0) return ['Nothing happened since then.']
  return [
    `Of the last ${events} events, Iris is posting those for ${callback} again. "iris callbacks list" shows how many are waiting.`,
  ]
}

export function enableLines({ callback, waiting }: Output<'enable_callback'>): readonly string[] {
  return [`${callback} is on; ${waiting} ${waiting === 1 ? 'event is' : 'events are'} waiting.`]
}

function stateText({ offAt, isFailing }: { readonly offAt?: number | undefined; readonly isFailing: boolean }): string {
  if (offAt !== undefined) return `off since ${localTime(offAt)}: its endpoint answered 410`
  return isFailing ? 'failing' : 'on'
}
