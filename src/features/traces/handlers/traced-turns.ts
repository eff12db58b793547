import { summaryView, type TurnModelParts, withLiveValues } from '../../../kernel/call/turn-model.ts'
import type { ToolStartRow, ToolStarts } from '../../../platform/store/tool-starts.ts'
import type { TurnSummary } from '../../../platform/store/turn-list.ts'
import { changedFilesOf, type InsightParts } from '../../insight/handlers/insight.ts'
import type { KeptAnswers } from '../../insight/kept-answers.ts'
import type { Span, TracedTool, TracedTurn } from '../contract.ts'
import type { AskedPermission, RetryRow, TraceRows } from '../rows/trace-rows.ts'
import { cutOffAt, timeLine, timesOf } from './time-line.ts'

/** The dependencies of these operations. */
export interface TracedTurnsParts extends InsightParts, TurnModelParts {
  readonly traceRows: TraceRows
  readonly toolStarts: Pick<ToolStarts, 'of'>
  readonly keptAnswers: KeptAnswers
}

/** Limits of one page. */
const maxTools = 3000
const maxPermissions = 1000
/** The tool that waits for an earlier ask. */
const collects = 'mcp__iris__message_status'

export interface TracedTurns {
  readonly turns: readonly TracedTurn[]
  readonly toolsLeftOut: boolean
}

/** Traces these turns, from the ledger and, until they end, from memory. */
export async function tracedTurns(
  rows: readonly TurnSummary[],
  now: number,
  parts: TracedTurnsParts,
): Promise<TracedTurns> {
  const { traceRows, toolStarts } = parts
  const ids = rows.map(({ id }) => id)
  // The same present time for the whole tree: otherwise its parts would not add up.
  const living = await parts.turns.living(ids)
  const present = rows.map(({ id }) => living.get(id)?.now).find((at) => at !== undefined) ?? now
  const tools = toolStarts.of(ids, maxTools + 1)
  const permissions = traceRows.permissionsOf(ids, maxPermissions + 1)
  const [toolsOf, permissionsOf] = [byTurn(tools), byTurn(permissions)]
  const deliveriesOf = byTurn(traceRows.laterDeliveriesOf(ids))
  const retriesOf = byTurn(traceRows.retriesOf(ids))
  const asked = new Set(traceRows.asksOf(ids).map(({ parentTurn, parentToolUse }) => `${parentTurn} ${parentToolUse}`))
  const changed = changedFilesOf(ids, parts)
  const turns = rows.map((row) => {
    const live = living.get(row.id)
    const turn = { ...withLiveValues(row, live), continuedAt: (deliveriesOf.get(row.id) ?? []).map(({ at }) => at) }
    const ends = new Map(live?.toolEnds.map((end) => [end.toolUseId, end]))
    const shown = (toolsOf.get(row.id) ?? []).map((start) =>
      tracedTool({ ...start, ...ends.get(start.toolUseId) }, turn),
    )
    const forTeam = ({ toolUseId, name }: TracedTool) => name === collects || asked.has(`${row.id} ${toolUseId}`)
    const spans = timeLine(
      {
        ...turn,
        deliveredAt: turn.dispatchedAt,
        tools: shown.map((tool) => ({ ...tool, forTeam: forTeam(tool) })),
        permissions: permissionsOf.get(row.id) ?? [],
      },
      present,
    )
    const [retry] = retriesOf.get(row.id) ?? []
    const traced = {
      ...tracedTurn(turn, shown, permissionsOf.get(row.id) ?? [], spans, parts),
      ...(retry && known(retry)),
    }
    const givenAgain = parts.keptAnswers.givenAgain(row.id)
    return {
      ...traced,
      ...(givenAgain && { givenAgain }),
      ...(changed.has(row.id) && { changedSince: changed.get(row.id) }),
    }
  })
  return { turns, toolsLeftOut: tools.length > maxTools || permissions.length > maxPermissions }
}

function known({ retryOf, retriedBy }: RetryRow): Pick<TracedTurn, 'retryOf' | 'retriedBy'> {
  return { ...(retryOf !== null && { retryOf }), ...(retriedBy !== null && { retriedBy }) }
}

type KnownTurn = TurnSummary & Pick<TracedTurn, 'continuedAt'>

function tracedTool(tool: ToolStartRow, turn: KnownTurn): TracedTool {
  const { toolUseId, name, within, inputShort: input, startedAt, endedAt, isError } = tool
  const isCutOff = endedAt === null && cutOffAt(turn, startedAt) !== undefined
  const state = endedAt !== null ? 'ended' : isCutOff ? 'cut_off' : 'running'
  return { toolUseId, name, ...(within !== null && { within }), input, startedAt, endedAt, isError, state }
}

function tracedTurn(
  turn: KnownTurn,
  tools: TracedTool[],
  permissions: readonly AskedPermission[],
  spans: Span[],
  parts: TracedTurnsParts,
): TracedTurn {
  const { hop, awaited, firstAt, startedAt, continuedAt, dispatchedAt: deliveredAt } = turn
  return {
    ...summaryView(turn, parts),
    ...(turn.attachments !== null && { attachments: [...turn.attachments] }),
    parentToolUseId: turn.parentToolUse,
    hop,
    awaited,
    firstAt,
    deliveredAt,
    continuedAt,
    startedAt,
    tools,
    spans,
    permissions: permissions.map(permissionView),
    times: timesOf(spans),
  }
}

function byTurn<T extends { readonly turn: string }>(rows: readonly T[]): ReadonlyMap<string, T[]> {
  return Map.groupBy(rows, ({ turn }) => turn)
}

function permissionView(permission: AskedPermission): TracedTurn['permissions'][number] {
  const { id: permissionId, toolUseId, toolName, state, askedAt, deadline, decidedAt, decidedBy } = permission
  return { permissionId, toolUseId, toolName, state, askedAt, deadline, decidedAt, decidedBy }
}
