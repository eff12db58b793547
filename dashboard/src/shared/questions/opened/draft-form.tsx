import { useId } from 'react'
import { hasInvisible } from '../../../../../src/base/lib/visible.ts'
import type { PermissionScope, PermissionView } from '../../../../../src/base/protocol/permission-view.ts'
import { Button } from '../../ui/button.tsx'
import { type Draft, pairOf } from '../answer.ts'
import { texts } from './texts.ts'

export interface DraftFieldsProps {
  readonly permission: PermissionView
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}

const field = 'border-line bg-page w-full rounded-md border px-2 py-1 font-mono'

/** The fields themselves: loaded when they are opened. */
export function DraftForm({ permission, draft, onChange }: DraftFieldsProps) {
  const [rule, message] = [useId(), useId()]
  return (
    <div className="flex flex-col gap-2 pt-2">
      <label htmlFor={rule}>{texts.ruleThatAnAnswer}</label>
      <input
        id={rule}
        className={field}
        value={draft.rule}
        onChange={({ target }) => onChange({ ...draft, rule: target.value })}
      />
      <Suggestions rules={permission.suggestions} onChoose={(suggested) => onChange({ ...draft, rule: suggested })} />
      <label htmlFor={message}>{texts.reason}</label>
      <input
        id={message}
        maxLength={2000}
        className={field}
        value={draft.message}
        onChange={({ target }) => onChange({ ...draft, message: target.value })}
      />
      <DenialScope permission={permission} draft={draft} onChange={onChange} />
      <ChangedInput permission={permission} draft={draft} onChange={onChange} />
    </div>
  )
}

interface SuggestionsProps {
  readonly rules: readonly string[]
  readonly onChoose: (rule: string) => void
}

function Suggestions({ rules, onChoose }: SuggestionsProps) {
  // A rule with invisible characters is not offered.
  const plain = rules.filter((rule) => !hasInvisible(rule))
  if (plain.length === 0) return null
  return (
    <div role="group" aria-label={texts.rulesThatClaudeCode} className="flex flex-wrap gap-2">
      {plain.map((rule) => (
        <Button key={rule} className="!whitespace-normal wrap-anywhere" onClick={() => onChoose(rule)}>
          <code>{rule}</code>
        </Button>
      ))}
    </div>
  )
}

function DenialScope({ permission, draft, onChange }: DraftFieldsProps) {
  return (
    <label className="inline-flex items-center gap-2">
      {texts.denialHoldsField}
      <select
        className={`${field} !w-auto`}
        value={draft.denialScope}
        onChange={({ target }) => onChange({ ...draft, denialScope: target.value as PermissionScope })}
      >
        <option value="once">{texts.thisTime}</option>
        <option value="session">{texts.forThisConversation}</option>
        <option value="pair">{texts.forPair(pairOf(permission))}</option>
        <option value="always">{texts.always}</option>
      </select>
    </label>
  )
}

function ChangedInput({ permission, draft, onChange }: DraftFieldsProps) {
  const input = useId()
  if (draft.input === undefined)
    return (
      <Button
        className="self-start"
        onClick={() => onChange({ ...draft, input: JSON.stringify(permission.input, null, 2) })}
      >
        {texts.changeTheInput}
      </Button>
    )
  return (
    <>
      <label htmlFor={input}>{texts.inputWithWhichIt}</label>
      <textarea
        id={input}
        rows={6}
        spellCheck={false}
        className={field}
        value={draft.input}
        onChange={({ target }) => onChange({ ...draft, input: target.value })}
      />
      <Button className="self-start" onClick={() => onChange({ ...draft, input: undefined })}>
        {texts.takeTheChangeBack}
      </Button>
    </>
  )
}
