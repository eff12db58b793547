import type { UseQueryResult } from '@tanstack/react-query'
import type { Output, Problem } from '../../shared/api/operations.ts'
import { duration } from '../../shared/format/durations.ts'
import { decimal, exact } from '../../shared/format/figures.ts'
import { hourOfDay } from '../../shared/format/times.ts'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section, TurnLink } from './section.tsx'
import { texts } from './texts.ts'

type Patterns = Output<'find_patterns'>

/** What happens again and again: the kinds of `iris insight patterns` that no other section of the page shows. */
export function Habits({ query }: { readonly query: UseQueryResult<Patterns, Problem> }) {
  return (
    <QueryView query={query} what={texts.thePatterns}>
      {(found) => (
        <Section
          title={texts.habits}
          advice={texts.lookAtTheMessages}
          off={found.isOn ? undefined : texts.patternsAreOff}
        >
          {habitsIn(found).map(({ text, turns }) => (
            <li key={text} className="flex flex-wrap items-center gap-x-2 py-2 wrap-anywhere">
              {text}
              {turns.map((turnId) => (
                <TurnLink key={turnId} turnId={turnId}>
                  {turnId.slice(0, 8)}
                </TurnLink>
              ))}
            </li>
          ))}
        </Section>
      )}
    </QueryView>
  )
}

interface Line {
  readonly text: string
  readonly turns: readonly string[]
}

export function habitsIn({ chains, failing, peaks, slowTools }: Patterns): readonly Line[] {
  return [
    ...chains.map(({ from, to, next, times, asks, turns }) => ({
      text: texts.chain(from, to, next, exact(times), exact(asks)),
      turns,
    })),
    ...failing.map(({ from, to, failed, ended, turns }) => ({
      text: texts.failing(from, to, exact(failed), exact(ended)),
      turns,
    })),
    ...peaks.map(({ begin, end, factor }) => ({
      text: texts.busy(hourOfDay(begin), hourOfDay(end), decimal(factor)),
      turns: [],
    })),
    ...slowTools.map(({ team, tool, p50Ms, p95Ms, turns }) => ({
      text: texts.slow(team, tool, duration(p50Ms), duration(p95Ms)),
      turns,
    })),
  ]
}
