import type { z } from 'zod'
import { threadBesideRole } from '../../../base/protocol/role.ts'
import type { LiveStatus, Turns } from '../../../kernel/accept/turn-handle.ts'
import type { AuthContext, Call } from '../../../kernel/call/call.ts'
import type { ToolStartRow, ToolStarts } from '../../../platform/store/tool-starts.ts'
import { type AttachedFilesParts, attachedFiles } from '../../attachments/handlers/attached-files.ts'
import { permissionAwaited } from '../../permission/handlers/permission-awaited.ts'
import type { Questions } from '../../permission/questions.ts'
import { type ReportsParts, readReports } from '../../reports/reports.ts'
import type { Search } from '../../search/search.ts'
import type * as contract from '../contract/viewer.ts'
import type { ViewerTurnRow } from '../rows/viewer-rows.ts'
import type { ChannelsView } from '../view.ts'
import { type ViewerPerson, viewerAsker } from '../viewer.ts'

/** The dependencies of these operations. */
export interface ViewerParts extends ReportsParts, AttachedFilesParts {
  /** Turns by their ids. */
  readonly turns: Turns
  /** Where people in chats talk to teams. */
  readonly channels: ChannelsView
  readonly toolStarts: Pick<ToolStarts, 'of'>
  readonly search: Pick<Search, 'find' | 'takeIn' | 'startOver' | 'indexBytes'>
  readonly questions: Questions
}

type In<Operation extends { input: z.ZodType }> = z.output<Operation['input']>
type Out<Operation extends { output: z.ZodType }> = z.output<Operation['output']>
type Turn = Out<typeof contract.viewerMessages>['turns'][number]

/** The role with which the owner chats: all rights of the teams. */
const ownersRole = 'os_agent'
const maxTools = 500
const maxHits = 30

/** The person behind a call that the policy allowed: a viewer, or the owner. */
function personOf({ principal: { kind, id, chatRole } }: Pick<AuthContext, 'principal'>): ViewerPerson {
  if (kind === 'viewer' && chatRole !== undefined) return { name: id, role: chatRole }
  if (kind === 'owner') return { name: 'owner', role: ownersRole }
  throw new Error(`a ${kind} does not chat in a browser`)
}

/** Selects the caller's own conversations for the stream. `name` differs for each person and role. */
export function ownOf(auth: Pick<AuthContext, 'principal'>, { channels: { viewer } }: Pick<ViewerParts, 'channels'>) {
  const person = personOf(auth)
  return {
    name: JSON.stringify(person),
    isOwn: (pair: Parameters<typeof viewer.isOf>[1]): boolean => viewer.isOf(person, pair),
  }
}

export function overview(
  { auth }: Call,
  { config, channels: { viewer } }: ViewerParts,
): Out<typeof contract.viewerOverview> {
  const person = personOf(auth)
  const teams = viewer.teams(person).map((name) => {
    const { description } = config().teams.get(name) ?? {}
    return { name, ...(description !== undefined && { description }) }
  })
  const isOwner = auth.principal.kind === 'owner'
  return { ...person, isOwner, teams, conversations: viewer.conversations(person) }
}

export async function messages(
  { cursor, before, ...place }: In<typeof contract.viewerMessages>,
  { auth }: Call,
  parts: ViewerParts,
): Promise<Out<typeof contract.viewerMessages>> {
  const { rows, next } = parts.channels.viewer.page(
    personOf(auth),
    place,
    cursor === undefined ? before : Number(cursor),
  )
  const ids = rows.map(({ id }) => id)
  const living = await parts.turns.living(ids)
  const tools = Map.groupBy(parts.toolStarts.of(ids, maxTools), ({ turn }) => turn)
  const reports = readReports(ids, parts)
  const turns = rows.map(async (row) => ({
    ...(await turnOf(row, living.get(row.id), tools.get(row.id) ?? [], parts)),
    ...(reports.has(row.id) && { reports: reports.get(row.id) }),
  }))
  return {
    turns: (await Promise.all(turns)).toReversed(),
    ...(next !== undefined && { nextCursor: String(next), next }),
  }
}

export async function send(
  { attachments, ...sent }: In<typeof contract.viewerSend>,
  call: Call,
  parts: ViewerParts,
): Promise<Out<typeof contract.viewerSend>> {
  // A path is refused, because without a team only content can be attached.
  const files = await attachedFiles({ attachments, fromTeam: undefined }, call, parts)
  const key = call.idempotencyKey
  const turn = await parts.channels.viewer.send(personOf(call.auth), { ...sent, key, attachments: files })
  return { turnId: turn.id }
}

export async function stop(
  { turnId }: In<typeof contract.viewerStop>,
  { auth }: Call,
  { channels }: ViewerParts,
): Promise<Out<typeof contract.viewerStop>> {
  const turn = await channels.viewer.own(personOf(auth), turnId)
  await turn.cancel()
  return { turnId }
}

export async function search(
  { query: text }: In<typeof contract.viewerSearch>,
  { auth }: Call,
  { search: index, channels: { viewer } }: ViewerParts,
): Promise<Out<typeof contract.viewerSearch>> {
  const person = personOf(auth)
  const filter = { participants: [], from: viewerAsker(person), to: undefined, thread: undefined, since: undefined }
  const { hits, isIndexing } = await index.find({ text, filter, limit: maxHits, before: undefined })
  const own = hits.filter((hit) => viewer.isOf(person, hit))
  return {
    hits: own.map(({ to, thread, at, snippet }) => ({
      team: to,
      conversation: threadBesideRole(thread),
      at,
      snippet: [...snippet],
    })),
    isIndexing,
  }
}

async function turnOf(
  row: ViewerTurnRow,
  live: LiveStatus | undefined,
  tools: readonly ToolStartRow[],
  parts: ViewerParts,
): Promise<Turn> {
  const { id: turnId, message, attachments, acceptedAt, settledAt } = row
  const running = live !== undefined && live.end === undefined ? live : undefined
  const text = running ? running.partialText : row.text
  const waits = running && (await permissionAwaited(turnId, parts))
  const isBegun = (running?.dispatchedAt ?? row.dispatchedAt) !== null
  return {
    turnId,
    message,
    acceptedAt,
    status: row.outcome ?? (isBegun ? 'working' : 'queued'),
    ...(attachments !== null && { attachments: [...attachments] }),
    ...(text !== null && text !== '' && { text }),
    ...(text !== null && row.outcome === 'completed' && { response: text }),
    isCut: row.messageLength > message.length || row.textLength > (row.text ?? '').length,
    isNewConversation: (live?.contextReset ?? row.contextReset) !== null,
    ...(waits !== undefined && { waitsForPermission: waits }),
    tools: tools.map(({ name, inputShort, startedAt, endedAt, isError }) => ({
      name,
      input: inputShort,
      startedAt,
      isError: isError === true,
      ...(endedAt !== null && { endedAt }),
    })),
    ...(settledAt !== null && { settledAt }),
  }
}
