/** What can be done about a fact. */
export type FactChange =
  | { readonly to: 'confirmed' }
  | { readonly to: 'edited'; readonly content: string }
  | { readonly to: 'rejected' }
  | { readonly to: 'forgotten' };
