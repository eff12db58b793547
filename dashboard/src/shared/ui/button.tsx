import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

export interface ButtonProps extends ComponentProps<'button'> {
  /** `danger`: what it does cannot be undone. */
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet'
}

const looks = {
  plain: 'border-line bg-panel hover:bg-raised border',
  primary: 'bg-accent text-on-accent border border-transparent hover:opacity-90',
  danger: 'border-bad text-bad hover:bg-bad hover:text-page border',
  quiet: 'hover:bg-raised border border-transparent',
}

export function Button({ look = 'plain', className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={clsx(
        'inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md px-3 py-1 font-medium whitespace-nowrap',
        'disabled:cursor-not-allowed disabled:opacity-50',
        looks[look],
        className,
      )}
      {...rest}
    />
  )
}

/** A button that shows only a picture; `label` is what it does, in words. */
export function IconButton({ label, className, ...rest }: Omit<ButtonProps, 'title'> & { readonly label: string }) {
  return <Button look="quiet" aria-label={label} title={label} className={clsx('size-8 !px-0', className)} {...rest} />
}
