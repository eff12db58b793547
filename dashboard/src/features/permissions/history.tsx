import { useOperation } from '../../shared/api/use-operation.ts'
import { askerName } from '../../shared/format/asker.ts'
import { pairOf } from '../../shared/questions/answer.ts'
import { decidedText } from '../../shared/questions/decided-text.ts'
import { ShownInput } from '../../shared/questions/shown-input.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { Folded } from './folded.tsx'
import { texts } from './texts.ts'

const shownAtOnce = 50

/** The latest decisions, the newest first; requested once somebody opens the list. */
export function History() {
  return (
    <Folded title={texts.recentDecisions}>
      <Decided />
    </Folded>
  )
}

function Decided() {
  const query = useOperation('list_permissions', { state: 'decided', limit: shownAtOnce })
  return (
    <QueryView query={query} what={texts.whatWasDecided}>
      {({ permissions }) =>
        permissions.length === 0 ? (
          <p className="text-muted py-2">{texts.noDecisionsYet}</p>
        ) : (
          <ul className="divide-line divide-y">
            {permissions.map((permission) => (
              <li key={permission.permissionId} className="flex flex-col gap-1 py-2">
                <p className="wrap-anywhere">
                  {permission.decidedAt !== null && (
                    <span className="text-muted">
                      <TimeSince at={permission.decidedAt} />{' '}
                    </span>
                  )}
                  {decidedText(permission)}
                  {permission.scope !== null &&
                    permission.scope !== 'once' &&
                    texts.holdsFor(texts.scopes[permission.scope](pairOf(permission)))}
                  <span className="text-muted"> {permission.chain.map(askerName).join(' → ')}</span>
                </p>
                <details>
                  <summary className="text-muted cursor-pointer">{texts.whatItWasAbout}</summary>
                  <ShownInput shown={permission.shown} />
                  {permission.updatedInput && (
                    <p className="wrap-anywhere">
                      {texts.itRanWith}
                      <code>{JSON.stringify(permission.updatedInput)}</code>
                      {texts.instead}
                    </p>
                  )}
                  {permission.message !== null && <p className="wrap-anywhere">{texts.reason(permission.message)}</p>}
                </details>
              </li>
            ))}
          </ul>
        )
      }
    </QueryView>
  )
}
