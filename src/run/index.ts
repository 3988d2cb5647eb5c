// What a verdict lets happen. Only a cleared action is executed.

export { type Applied, type ApplyOptions, applyChanges, type Edit, takeBack } from './apply.ts';
export {
  FetchAborted,
  FetchFailed,
  FetchRefused,
  FetchTimedOut,
  FetchTooLarge,
  TooManyRedirects,
} from './errors.ts';
export { type FetchOptions, type FetchResult, guardedFetch } from './fetch.ts';
