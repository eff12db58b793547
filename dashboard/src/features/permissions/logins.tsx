import { useQueryClient } from '@tanstack/react-query'
import type { Output } from '../../shared/api/operations.ts'
import { useOperation, useVerb } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { Folded } from './folded.tsx'
import { texts } from './texts.ts'

type Login = Output<'list_logins'>['logins'][number]

/** The browsers that act for the person. Each can be signed out. */
export function Logins() {
  return (
    <Folded title={texts.signedInBrowsers}>
      <LoginList />
    </Folded>
  )
}

function LoginList() {
  const query = useOperation('list_logins', {})
  return (
    <QueryView query={query} what={texts.theBrowsers}>
      {({ logins }) => (
        <ul aria-label={texts.signedInBrowsers} className="divide-line divide-y">
          {logins.map((login) => (
            <LoginRow key={login.loginId} login={login} />
          ))}
        </ul>
      )}
    </QueryView>
  )
}

function LoginRow({ login: { loginId, browser, address, madeAt, usedAt, isThis } }: { readonly login: Login }) {
  const { mutate, isPending } = useVerb('revoke_login')
  const queries = useQueryClient()
  const tell = useNotices()
  const revoke = (): void =>
    mutate(
      { loginId },
      {
        onSuccess: () => void queries.invalidateQueries({ queryKey: ['list_logins'] }),
        onError: ({ message, remedy }) => tell(`${message} ${remedy}`, { isTrouble: true }),
      },
    )
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="min-w-0 wrap-anywhere">
        {browser}
        {isThis && <strong>{texts.thisOne}</strong>}
      </span>
      <span className="text-muted">
        {texts.signedIn(address ?? texts.onThisMachine)}
        <TimeSince at={madeAt} />
        {texts.usedLast}
        <TimeSince at={usedAt} />
      </span>
      <Button className="ml-auto" disabled={isPending} onClick={revoke}>
        {texts.signOut}
        <span className="sr-only"> {browser}</span>
      </Button>
    </li>
  )
}
