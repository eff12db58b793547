import { useVerb } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { texts } from './texts.ts'

/** Asks the platform about the bot, and shows what it lacks. */
export function ChannelTest({ name }: { readonly name: string }) {
  const { mutate, isPending, data, error } = useVerb('test_channel')
  return (
    <div className="flex flex-col items-start gap-2">
      <Button disabled={isPending} onClick={() => mutate({ channel: name })}>
        {isPending ? texts.testing : texts.test}
        <span className="sr-only"> {name}</span>
      </Button>
      <div role="status" className="wrap-anywhere">
        {error && <p className="text-bad">{error.message}</p>}
        {data && !isPending && <Found found={data} />}
      </div>
    </div>
  )
}

function Found({ found }: { readonly found: NonNullable<ReturnType<typeof useVerb<'test_channel'>>['data']> }) {
  const { isValid, as: bot = '', why, missing } = found
  if (!isValid) return <p className="text-bad">{why}</p>
  if (missing.length === 0) return <p>{texts.nothingMissing(bot)}</p>
  return (
    <>
      <p>
        {texts.valid(bot)} {texts.missing}
      </p>
      <ul className="list-disc pl-5">
        {missing.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </>
  )
}
