import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import { QuestionCard } from './question-card.tsx'
import { usePending } from './use-pending.ts'
import { useQuiet } from './use-quiet.ts'

/**
 * The questions that wait in a conversation, or in one of its turns, with their answers. A question looks the same
 * wherever it is shown.
 */
export function PendingQuestions({ sessionId, turnId }: { readonly sessionId?: string; readonly turnId?: string }) {
  const { data, dataUpdatedAt } = usePending()
  const fits = (permission: PermissionView): boolean =>
    turnId === undefined ? permission.sessionId === sessionId : permission.turnId === turnId
  const questions = data?.permissions.filter(fits).toSorted((a, b) => a.askedAt - b.askedAt) ?? []
  const skewMs = (data?.now ?? 0) - dataUpdatedAt
  return questions.map((permission) => <One key={permission.permissionId} permission={permission} skewMs={skewMs} />)
}

function One({ permission, skewMs }: { readonly permission: PermissionView; readonly skewMs: number }) {
  const { isQuiet, quietNow } = useQuiet()
  return <QuestionCard permission={permission} skewMs={skewMs} isQuiet={isQuiet} quietNow={quietNow} />
}
