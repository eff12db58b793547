import type { ConfigProblem } from '../../../../src/base/protocol/config-problem.ts'
import { texts } from './texts.ts'

interface ProblemListProps {
  readonly problems: readonly ConfigProblem[]
  readonly onGoTo: (line: number) => void
}

/** Every mistake with its remedy, each a link to its line. Screen readers announce changes. */
export function ProblemList({ problems, onGoTo }: ProblemListProps) {
  const places = problems.map((mistake) => ({ ...mistake, place: `${mistake.line}:${mistake.column} ${mistake.key}` }))
  return (
    <section role="status" aria-label={texts.mistakes}>
      {problems.length > 0 && (
        <div className="border-bad/50 bg-panel rounded-lg border p-3">
          <h2 className="text-bad font-semibold">
            {problems.length === 1 ? texts.oneMistakeCorrectIt : texts.mistakesCorrectThemTo(problems.length)}
          </h2>
          <ul className="divide-line divide-y">
            {places.map(({ place, line, key, problem, allowed, remedy }) => (
              <li key={`${place} ${problem}`} className="py-2 wrap-anywhere">
                <p>
                  {line !== null && (
                    <button type="button" className="text-accent mr-2 underline" onClick={() => onGoTo(line)}>
                      {texts.line(line)}
                    </button>
                  )}
                  <span className="font-mono font-medium">{key}</span> {problem}.
                </p>
                {allowed !== null && <p className="text-muted text-xs">{texts.allowed(allowed)}</p>}
                <p>{remedy}</p>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}
