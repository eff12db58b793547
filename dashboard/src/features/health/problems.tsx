import { Link } from '@tanstack/react-router'
import type { Output } from '../../shared/api/operations.ts'
import { needsWords } from '../../shared/format/needs.ts'
import { Badge } from '../../shared/ui/badge.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

type Health = Output<'get_health'>

/** What is wrong and what to do about it, the worst first; or that nothing is wrong. */
export function Problems({ health: { problems, notReady, needs } }: { readonly health: Health }) {
  const all = [
    ...notReady.map((what) => ({
      severity: 'error' as const,
      what,
      remedy: texts.noMessageAccepted,
      since: undefined,
    })),
    ...problems,
  ]
  const waiting = needsWords(needs)
  if (all.length === 0 && waiting === '') {
    return (
      <p className="border-line bg-panel flex items-center gap-2 rounded-lg border p-4">
        <Icon name="check" className="text-good size-5" />
        {texts.allGood}
      </p>
    )
  }
  if (all.length === 0) return <Needs words={waiting} />
  return (
    <>
      {waiting !== '' && <Needs words={waiting} />}
      <section aria-labelledby="problems" className="flex flex-col gap-2">
        <h2 id="problems" className="font-semibold">
          {texts.whatIsWrong}
        </h2>
        <ul className="flex flex-col gap-2">
          {all.map(({ severity, what, remedy, since }) => (
            <li
              key={what}
              className={`bg-panel flex items-start gap-3 rounded-lg border p-3 ${severity === 'error' ? 'border-bad/50' : 'border-warn/50'}`}
            >
              <Badge tone={severity === 'error' ? 'bad' : 'warn'}>
                {severity === 'error' ? texts.error : texts.warning}
              </Badge>
              <div className="min-w-0">
                <p className="font-medium wrap-anywhere whitespace-pre-wrap">{what}</p>
                <p className="text-muted wrap-anywhere">{remedy}</p>
                {since !== undefined && (
                  <p className="text-muted text-xs">
                    {texts.began} <TimeSince at={since} />
                  </p>
                )}
              </div>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

/** The conversations that the inbox lists first. */
function Needs({ words }: { readonly words: string }) {
  return (
    <p className="border-warn/50 bg-panel flex flex-wrap items-center gap-2 rounded-lg border p-4">
      <Icon name="warning" className="text-warn size-5" />
      {words}
      <Link to="/" className="text-accent underline">
        {texts.goToTheInbox}
      </Link>
    </p>
  )
}
