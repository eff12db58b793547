import { Link } from '@tanstack/react-router'
import type { TracedTurn } from '../../../../src/features/traces/contract.ts'
import { duration } from '../../shared/format/durations.ts'
import { compact, cost } from '../../shared/format/figures.ts'
import { clockTime } from '../../shared/format/times.ts'
import { deciderInside } from '../../shared/questions/decided-text.ts'
import { TurnWork } from '../../shared/turn-work/turn-work.tsx'
import { TurnFiles } from '../../shared/turns/turn-files.tsx'
import { kindNames, Swatch } from './kinds.tsx'
import { texts } from './texts.ts'

/** All that is known about a turn: figures, its texts, its tools with their results. */
export function TurnDetails({ turn }: { readonly turn: TracedTurn }) {
  const { usage, sessionId, reason, detail, permissions } = turn
  return (
    <div className="border-line flex flex-col gap-2 border-l-2 py-1 pl-3">
      <p dir="auto" className="max-w-[72ch] wrap-anywhere whitespace-pre-wrap [unicode-bidi:plaintext]">
        {turn.message}
      </p>
      <TurnFiles turnId={turn.turnId} files={turn.attachments} />
      {(reason ?? detail) && <p className="text-bad wrap-anywhere">{[reason, detail].filter(Boolean).join(': ')}</p>}
      <p className="text-muted">
        {texts.accepted(clockTime(turn.acceptedAt))}
        {turn.settledAt !== null && texts.ended(clockTime(turn.settledAt))}
        {turn.continuedAt.length > 0 && texts.continued(turn.continuedAt.map((at) => clockTime(at)).join(', '))}
        {usage &&
          texts.tokensUsed(
            compact(usage.inputTokens + usage.outputTokens),
            compact(usage.cacheReadTokens + usage.cacheWriteTokens),
          )}
        {usage?.costUsd !== undefined && `, ${cost(usage.costUsd)}`}
      </p>
      <ul className="flex flex-wrap gap-x-4">
        {kindNames
          .filter((kind) => turn.times[kind] > 0)
          .map((kind) => (
            <li key={kind} className="inline-flex items-center gap-1.5">
              <Swatch kind={kind} />
              {texts.kinds[kind]} {duration(turn.times[kind])}
            </li>
          ))}
      </ul>
      {permissions.length > 0 && (
        <ul aria-label={texts.permissions}>
          {permissions.map(({ permissionId, toolName, state, decidedBy, askedAt, decidedAt }) => (
            <li key={permissionId}>
              {texts.aPersonWasAsked(
                toolName,
                clockTime(askedAt),
                decidedAt === null
                  ? texts.waits
                  : texts.decidedByAfter(
                      texts.permissionStates[state],
                      deciderInside(decidedBy),
                      duration(decidedAt - askedAt),
                    ),
              )}
            </li>
          ))}
        </ul>
      )}
      <TurnWork turnId={turn.turnId} isOngoing={turn.settledAt === null} />
      {turn.retryOf !== undefined && <ToTrace turnId={turn.retryOf}>{texts.itIsARetry}</ToTrace>}
      {turn.retriedBy !== undefined && <ToTrace turnId={turn.retriedBy}>{texts.itWasRetried}</ToTrace>}
      <Link
        to="/conversations/$sessionId"
        params={{ sessionId }}
        search={{ turn: turn.turnId }}
        className="text-accent self-start underline"
      >
        {texts.openTheConversation}
      </Link>
    </div>
  )
}

/** A link to the trace of the message that this one retries, or of the message that retries this one. */
function ToTrace({ turnId, children }: { readonly turnId: string; readonly children: string }) {
  return (
    <Link to="/traces/$turnId" params={{ turnId }} className="text-accent self-start underline">
      {children}
    </Link>
  )
}
