import { plainLine } from '../../../../src/base/lib/plain-line.ts'
import type { Output } from '../../shared/api/operations.ts'
import { useVerb } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { Query } from './section.tsx'
import { texts } from './texts.ts'

type AskedTwice = Output<'reflect'>['askedTwice'][number]

/** A question with its latest answer, and how both would change CLAUDE.md. */
export function AskedTwiceItem({ asked }: { readonly asked: AskedTwice }) {
  const { suggestionId, to, times, answer, diff, problem, query } = asked
  const message = plainLine(asked.message)
  return (
    <li className="flex flex-col gap-1.5 py-3">
      <p className="flex flex-wrap items-center gap-x-2">
        <TeamName name={to} />
        <span className="text-muted">{texts.wasAsked(times)}</span>
      </p>
      <p dir="auto" className="font-medium wrap-anywhere">
        {message}
      </p>
      <p dir="auto" className="text-muted line-clamp-3 wrap-anywhere">
        {plainLine(answer.answer)}
      </p>
      {diff === undefined ? (
        <p className="text-warn">{texts.cannotBeChanged(problem)}</p>
      ) : (
        <details>
          <summary className="cursor-pointer">{texts.howItWouldChange}</summary>
          <pre className="bg-page mt-1 rounded-md p-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere">{diff}</pre>
        </details>
      )}
      <Query sql={query} />
      <Decide suggestionId={suggestionId} diff={diff} about={message} />
    </li>
  )
}

interface DecideProps {
  readonly suggestionId: string
  /** Undefined if the suggestion can only be dismissed. */
  readonly diff: string | undefined
  /** Names the suggestion in the labels that screen readers read for the buttons. */
  readonly about: string
  readonly words?: typeof ofClaudeMd
}

const ofClaudeMd = { apply: texts.write, applyThis: texts.writeThis, applied: texts.claudeMdWasChanged }

export function Decide({ suggestionId, diff, about, words = ofClaudeMd }: DecideProps) {
  const { mutate, isPending } = useVerb('decide_suggestion')
  const tell = useNotices()
  const decide = (decision: 'apply' | 'refuse'): void =>
    mutate(
      { suggestionId, decision, ...(decision === 'apply' && { diff }) },
      {
        onSuccess: () => tell(decision === 'apply' ? words.applied : texts.dismissed),
        onError: ({ message, remedy }) => tell(`${message} ${remedy}`, { isTrouble: true }),
      },
    )
  return (
    <div className="flex flex-wrap gap-2">
      {diff !== undefined && (
        <Button look="primary" disabled={isPending} aria-label={words.applyThis(about)} onClick={() => decide('apply')}>
          {words.apply}
        </Button>
      )}
      <Button disabled={isPending} aria-label={texts.dismissThis(about)} onClick={() => decide('refuse')}>
        {texts.dismiss}
      </Button>
    </div>
  )
}
