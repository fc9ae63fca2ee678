import type { FactStates, HookCard, PreparedPiece } from '../../model/hookCard';

/**
 * A card without what states a fact that does not hold any more: somebody has rejected it, or said something else since, and a new card is
 * being made. Without `facts` nothing is known to have changed.
 */
export function holdingCard(card: HookCard, facts: FactStates | undefined): HookCard {
  if (facts === undefined) return card;
  const { rules, solutions, core_logic: core } = facts.permanent;
  const valid = new Set(
    [...rules, ...solutions, ...core]
      .filter(({ isRejected, supersededBy }) => isRejected !== true && supersededBy === undefined)
      .map(({ id }) => id),
  );
  const holds = ({ factIds = [] }: PreparedPiece): boolean => factIds.every((id) => valid.has(id));
  const { rules: told, ...rest } = card;
  return { ...rest, ...(told !== undefined && holds(told) && { rules: told }), brief: card.brief.filter(holds) };
}
