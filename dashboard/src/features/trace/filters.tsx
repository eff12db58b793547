import type { Input } from '../../shared/api/operations.ts'
import { useOperation } from '../../shared/api/use-operation.ts'
import { statusWords } from '../../shared/turns/turn-status.tsx'
import { texts } from './texts.ts'

export type TurnFilter = Pick<Input<'list_turns'>, 'team' | 'status'>

const field = 'border-line bg-panel rounded-md border px-2 py-1'
const ended = Object.entries(statusWords).filter(([status]) => status !== 'queued' && status !== 'working')

interface FiltersProps {
  readonly filter: TurnFilter
  readonly onChange: (filter: TurnFilter) => void
}

export function Filters({ filter: { team, status }, onChange }: FiltersProps) {
  const { data } = useOperation('list_teams', {})
  const changed = (change: { readonly [Key in keyof TurnFilter]?: string }): void => {
    const all = Object.entries({ team, status, ...change }).filter(([, value]) => value !== undefined && value !== '')
    onChange(Object.fromEntries(all))
  }
  return (
    <>
      <label className="inline-flex items-center gap-2">
        {texts.team}
        <select className={field} value={team ?? ''} onChange={({ target }) => changed({ team: target.value })}>
          <option value="">{texts.all}</option>
          {data?.teams.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label className="inline-flex items-center gap-2">
        {texts.status}
        <select className={field} value={status ?? ''} onChange={({ target }) => changed({ status: target.value })}>
          <option value="">{texts.all}</option>
          <option value="open">{texts.notEnded}</option>
          {ended.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}
