import { useOperation } from '../../shared/api/use-operation.ts'
import { texts } from './texts.ts'

const hourMs = 3_600_000

/** In milliseconds. Undefined for all time. */
export const spans = {
  '24 h': 24 * hourMs,
  '7 d': 7 * 24 * hourMs,
  '30 d': 30 * 24 * hourMs,
  all: undefined,
} as const

export type SpanName = keyof typeof spans

interface StatisticsControlsProps {
  readonly span: SpanName
  readonly team: string
  readonly onSpan: (span: SpanName) => void
  readonly onTeam: (team: string) => void
}

export function StatisticsControls({ span, team, onSpan, onTeam }: StatisticsControlsProps) {
  const { data } = useOperation('list_teams', {})
  return (
    <search aria-label={texts.whatIsCounted} className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <fieldset className="border-line bg-panel flex rounded-md border p-0.5">
        <legend className="sr-only">{texts.time}</legend>
        {(Object.keys(spans) as SpanName[]).map((name) => (
          <label
            key={name}
            className="has-checked:bg-accent has-checked:text-on-accent has-focus-visible:outline-accent cursor-pointer rounded px-3 py-1 has-focus-visible:outline-2"
          >
            <input type="radio" name="span" className="sr-only" checked={span === name} onChange={() => onSpan(name)} />
            {texts.spans[name]}
          </label>
        ))}
      </fieldset>
      <label className="flex items-center gap-2">
        <span className="text-muted">{texts.team}</span>
        <select
          className="border-line bg-panel min-h-8 max-w-48 rounded-md border px-2"
          value={team}
          onChange={({ target }) => onTeam(target.value)}
        >
          <option value="">{texts.allTeams}</option>
          {data?.teams.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </search>
  )
}
