import { Dialog } from '../../../shared/ui/dialog.tsx'
import { type KeyAction, letters } from '../keys.ts'
import { texts } from './texts.ts'

const actions: readonly (readonly [key: string, action: KeyAction])[] = [
  ['↓', 'next'],
  ['↑', 'previous'],
  [texts.keyNames.enter, 'open'],
  [texts.keyNames.space, 'peek'],
  [texts.keyNames.escape, 'leave'],
  ...Object.entries(letters),
]
const shown = [['/', texts.searchKey], ...actions.map(([key, action]) => [key, texts.keyWords[action]])] as const

interface KeyHelpProps {
  readonly hasLetters: boolean
  readonly onChange: (isOn: boolean) => void
  readonly onClose: () => void
}

/** All keys, and the switch for the keys that are a single letter or digit. */
export function KeyHelp({ hasLetters, onChange, onClose }: KeyHelpProps) {
  return (
    <Dialog title={texts.keysTitle} onClose={onClose}>
      <label className="flex min-h-10 items-center gap-2">
        <input data-first type="checkbox" checked={hasLetters} onChange={({ target }) => onChange(target.checked)} />
        {texts.keysAreOn}
      </label>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        {shown.map(([key, words]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="border-line rounded-xs border px-1">{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
