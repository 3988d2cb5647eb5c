import * as graphql from 'graphql';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { codeModeFrom } from '../../../config/sources.ts';
import { Budget } from '../../../core/index.ts';
import { isMadeOf } from './aggregates.ts';
import { readGraphql } from './read.ts';

describe('a field is made of the values of another', () => {
  it.each([
    ['users_max_fields', 'rating', 'users', 'rating'],
    ['users_min_fields', 'rating', 'User', 'rating'],
    ['UserMaxAggregateOutputType', 'rating', 'User', 'rating'],
    ['UserStddevPopulationAggregates', 'heightCm', 'User', 'height_cm'],
    ['UserAggregateResult', 'ratingMin', 'User', 'rating'],
    ['UserAggregateResult', 'max_rating', 'User', 'rating'],
    ['UserGroupByOutputType', 'rating', 'User', 'rating'],
    ['HomeAddressesSum', 'zip_code', 'HomeAddress', 'zipCode'],
  ])('%s.%s of %s.%s', (...names) => {
    expect(isMadeOf(...names)).toBe(true);
  });

  it.each([
    ['User', 'rating', 'User', 'rating'],
    ['UserGroup', 'name', 'User', 'name'],
    ['UserResult', 'name', 'User', 'name'],
    ['PostMax', 'rating', 'User', 'rating'],
    ['UserMax', 'ratings_count_of_others', 'User', 'rating'],
    ['SuperUserMax', 'rating', 'User', 'rating'],
  ])('but not %s.%s of %s.%s', (...names) => {
    expect(isMadeOf(...names)).toBe(false);
  });

  it('and counts as that in a query', () => {
    const schema = buildSchema(
      'type User { rating: Int } type UserMax { rating: Int other: Int } type Query { most: UserMax }',
    );
    const mode = codeModeFrom({ blocked_fields: ['User.rating'] }, 'test');
    const fieldsOf = (text: string) => {
      const input = { text, variables: {}, schema, mode, budget: new Budget(10_000) };
      const read = readGraphql(graphql, input);
      return 'facts' in read ? read.facts.fields : [];
    };
    expect(fieldsOf('{ most { a: rating } }')).toContain('User.rating');
    expect(fieldsOf('{ most { other } }')).not.toContain('User.rating');
  });
});
