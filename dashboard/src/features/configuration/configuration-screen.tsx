import { lazy, Suspense, useEffect, useId, useMemo, useRef, useState } from 'react'
import { type Output, Problem } from '../../shared/api/operations.ts'
import { useOperation } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Loading, Trouble } from '../../shared/ui/states.tsx'
import { useRested } from '../../shared/ui/use-rested.ts'
import type { EditorHandle } from './code-editor.tsx'
import { ConfigForm } from './config-form.tsx'
import { DraftNotes } from './draft-notes.tsx'
import { ProblemList } from './problem-list.tsx'
import { texts } from './texts.ts'
import { useCheck } from './use-check.ts'
import { draft, useDraft } from './use-draft.ts'

// CodeMirror loads when it is first needed, together with the dialog, which must open even while Iris is unreachable.
const CodeEditor = lazy(async () => {
  const [{ CodeEditor }] = await Promise.all([import('./code-editor.tsx'), import('./save-dialog.tsx')])
  return { default: CodeEditor }
})
const SaveDialog = lazy(async () => ({ default: (await import('./save-dialog.tsx')).SaveDialog }))

/** config.yaml as a form and as text, side by side. */
export function ConfigurationScreen() {
  const query = useOperation('get_config', {})
  const { data } = query
  const { base } = useDraft()
  useEffect(() => {
    if (data !== undefined && data.text !== null) draft.take({ text: data.text, hash: data.hash })
  }, [data])
  return (
    <Screen title={texts.configuration} actions={<Actions file={data?.file ?? 'config.yaml'} />}>
      <QueryView query={query} what={texts.theConfiguration}>
        {(config) => (
          <>
            <Standing {...config} />
            {base && <Editing config={config} />}
          </>
        )}
      </QueryView>
    </Screen>
  )
}

function Actions({ file }: { readonly file: string }) {
  const { base, text, theirs } = useDraft()
  const [isAsked, setAsked] = useState(false)
  const isEdited = base !== undefined && text !== base.text
  return (
    <>
      <span role="status" className="text-muted">
        {isEdited ? texts.notSavedYet : ''}
      </span>
      <Button disabled={!isEdited} onClick={() => draft.giveUp()}>
        {texts.discard}
      </Button>
      <Button look="primary" disabled={!isEdited || theirs !== undefined} onClick={() => setAsked(true)}>
        {texts.reviewAndSave}
      </Button>
      {isAsked && (
        <Suspense>
          <SaveDialog file={file} onClose={() => setAsked(false)} />
        </Suspense>
      )}
    </>
  )
}

/** Whether the file is in force. */
function Standing({ problem, needsRestart, text, file }: Output<'get_config'>) {
  return (
    <>
      {problem !== undefined && (
        <Trouble
          problem={
            new Problem({
              code: 'config_invalid',
              status: 0,
              detail: text === null ? problem : texts.notInForce,
              remedy: text === null ? texts.correctWithAnEditor(file) : '',
            })
          }
        />
      )}
      {needsRestart.length > 0 && (
        <p className="border-warn/50 bg-panel rounded-lg border p-3">
          {texts.savedAndWaitingFor(needsRestart.join(', '))}
        </p>
      )}
    </>
  )
}

function Editing({ config }: { readonly config: Output<'get_config'> }) {
  const { text, theirs } = useDraft()
  const check = useCheck(useRested(text, 300))
  const editor = useRef<EditorHandle>(null)
  const hint = useId()
  const problems = useMemo(() => check.data?.problems ?? [], [check.data])
  return (
    <>
      <DraftNotes />
      {check.error && <Trouble problem={check.error} onRetry={() => void check.refetch()} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <ConfigForm config={config} text={text} onChange={(next) => draft.edit(next)} />
        <div className="flex min-w-0 flex-col gap-2 lg:sticky lg:top-3">
          <p id={hint} className="text-muted text-xs pointer-coarse:hidden">
            {texts.inTheTextTab}
          </p>
          <Suspense fallback={<Loading what={texts.theEditor} />}>
            <CodeEditor
              ref={editor}
              text={text}
              onChange={(next) => draft.edit(next)}
              problems={problems}
              theirs={theirs?.text}
              describedBy={hint}
            />
          </Suspense>
          <ProblemList problems={problems} onGoTo={(line) => editor.current?.goTo(line)} />
        </div>
      </div>
    </>
  )
}
