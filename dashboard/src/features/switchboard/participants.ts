import { external } from '../../../../src/base/protocol/pair.ts'
import { isBusy } from '../../../../src/base/protocol/standing.ts'
import { askerName, chatOf } from '../../shared/format/asker.ts'
import { standingWord } from '../../shared/turns/why-standing.ts'
import type { Board, Session, Team } from './changes.ts'
import type { Edge } from './edges.ts'
import { texts } from './texts.ts'

/**
 * Who asks or is asked: a configured team, callers from outside, a team that has left the configuration, or all those that
 * the map has no room for.
 */
export interface Participant {
  readonly name: string
  readonly kind: 'team' | 'external' | 'chat' | 'former' | 'rest'
  readonly team: Team | undefined
  /** Of the sessions in which it answers: how many have a process, how many are at work, and how many messages wait. */
  readonly awake: number
  readonly working: number
  readonly queue: number
  /** For the node of the folded rest: how many participants it stands for. */
  readonly count?: number
}

/** Teams by their names, then all others that have an edge. */
export function participantsOf(
  { teams, sessions }: Pick<Board, 'teams' | 'sessions'>,
  edges: readonly Edge[],
): Participant[] {
  const configured = new Map(teams.map((team) => [team.name, team]))
  const talking = edges.flatMap(({ from, to }) => [from, to]).filter((name) => !configured.has(name))
  const names = [...configured.keys()].toSorted((a, b) => a.localeCompare(b))
  const answering = Map.groupBy(sessions, ({ to }) => to)
  return [...names, ...new Set(talking)].map((name) => ({
    name,
    kind: configured.has(name) ? 'team' : kindOf(name),
    team: configured.get(name),
    ...loadOf(answering.get(name) ?? []),
  }))
}

function kindOf(name: string): 'external' | 'chat' | 'former' {
  return name === external ? 'external' : chatOf(name) === undefined ? 'former' : 'chat'
}

function loadOf(sessions: readonly Session[]) {
  return {
    awake: sessions.filter(({ processState }) => processState !== 'stopped').length,
    working: sessions.filter(isBusy).length,
    queue: sessions.reduce((sum, { queueLength }) => sum + queueLength, 0),
  }
}

/** `nameOf` returns the name of an asker. */
export function participantTitle(
  { name, kind, count = 0 }: Pick<Participant, 'name' | 'kind' | 'count'>,
  nameOf = askerName,
): string {
  if (kind === 'rest') return texts.quieterTeams(count)
  return kind === 'former' ? texts.formerTeam(name) : nameOf(name)
}

/** The state of a participant and whom it asks: what the map shows, in words. */
export function participantText(participant: Participant, edges: readonly Edge[], nameOf = askerName): string {
  const { awake, working, queue, name, kind } = participant
  const state =
    kind === 'external' || kind === 'chat'
      ? ''
      : awake === 0
        ? standingWord('asleep')
        : working === 0
          ? texts.awake(awake)
          : texts.atWork(working)
  const asks = edges.filter(({ from }) => from === name).map((edge) => said(edge.to, edge))
  const asked = edges.filter(({ to }) => to === name).map((edge) => said(nameOf(edge.from), edge))
  const parts = [
    state,
    queue > 0 ? texts.queued(queue) : '',
    asks.length > 0 ? texts.asksThese(asks.join(', ')) : '',
    asked.length > 0 ? texts.askedBy(asked.join(', ')) : '',
  ]
  return [participantTitle(participant, nameOf), parts.filter((part) => part !== '').join('; ')]
    .filter((part) => part !== '')
    .join(': ')
}

function said(name: string, { isNow, lastDay }: Edge): string {
  return isNow ? texts.isNow(name) : texts.today(name, lastDay)
}
