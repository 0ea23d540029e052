import { Notice } from '~/portal/notice.tsx'
import type { DoubtfulMid } from '~/service/doubtful.ts'

/** The mids that no second feed supports, and why. */
export function DoubtfulMids({ mids }: { readonly mids: readonly DoubtfulMid[] }) {
  const disputed = mids.filter(({ movePct }) => movePct === null)
  const moved = mids.filter(({ movePct }) => movePct !== null)
  return (
    <>
      {disputed.length > 0 && (
        <Notice kind="warn">
          Feeds disagree on {disputed.map(({ currency }) => currency).join(', ')}; alerts on these
          mids fire nothing until they agree.
        </Notice>
      )}
      {moved.length > 0 && (
        <Notice kind="warn">
          One feed alone moved{' '}
          {moved
            .map(({ currency, movePct }) => `${currency} by ${movePct!.toFixed(1)}%`)
            .join(', ')}
          .
        </Notice>
      )}
    </>
  )
}
