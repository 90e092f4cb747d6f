/** A row of a picker. */
export type PickItem = {
  /** What the pick returns. */
  value: string;
  label: string;
  /** A few words after the label. */
  about?: string;
  /** Short text at the right edge, such as a price or a time. */
  note?: string;
  /** More about the item, shown below the list while it is selected. */
  detail?: string;
  /** Text that a search also finds. */
  keywords?: string;
};

/** A list from which the user selects one item. */
export type PickRequest = {
  title: string;
  items: readonly PickItem[];
  /** The complete list, if it is not known yet. `items` is shown until it arrives. */
  complete?: Promise<readonly PickItem[]>;
  /** Finds items for a query, for lists that are too long to be loaded. By default, `items` is searched. */
  search?(query: string): Promise<readonly PickItem[]>;
  /** The value that is selected first. */
  current?: string;
  /** Shown instead of an empty list. */
  empty?: string;
};
