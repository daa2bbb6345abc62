//! The nesting of an archive's groups. It is closed once, when all of it is known: to close it after each row takes the
//! square of its depth.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use spindle_domain::GroupId;

/// Most pairs of a group and one that is in it, however deep. Each is a row.
pub(super) const MOST_PAIRS: usize = 500_000;
/// Most comparisons for each pair.
const WORK_OF_PAIR: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Nesting {
    subgroups: BTreeMap<GroupId, Vec<GroupId>>,
    /// The supergroups in the order of the rows: of a cycle, the row that closes it is left out.
    order: Vec<GroupId>,
}

/// The nesting without cycles.
#[derive(Debug, Default)]
pub(super) struct Closed {
    /// Each group with its direct subgroups, and with all that are in it.
    pub(super) groups: Vec<(GroupId, Vec<GroupId>, Vec<GroupId>)>,
    /// Subgroups that contain their own group.
    pub(super) in_cycles: u64,
    /// Subgroups of groups in which too many would be.
    pub(super) beyond: u64,
}

impl Nesting {
    pub(super) fn add(&mut self, above: GroupId, below: GroupId) {
        let subgroups = self.subgroups.entry(above).or_default();
        if subgroups.is_empty() {
            self.order.push(above);
        }
        subgroups.push(below);
    }

    /// Closes the nesting up to `most` pairs. `within`: the groups in one without rows here.
    pub(super) fn close<E>(
        self,
        most: usize,
        within: impl Fn(GroupId) -> Result<Vec<GroupId>, E>,
    ) -> Result<Closed, E> {
        let mut closed = Closed::default();
        // `None` for a group whose subgroups are being visited.
        let mut visited: HashMap<GroupId, Option<Vec<GroupId>>> = HashMap::new();
        let (mut pairs, mut work) = (0, 0);
        for start in self.order.iter().copied() {
            if visited.contains_key(&start) {
                continue;
            }
            visited.insert(start, None);
            let mut path = vec![(start, 0, Vec::new())];
            while let Some((group, next, kept)) = path.last_mut() {
                let subgroups = self.subgroups.get(group).map_or(&[][..], Vec::as_slice);
                if let Some(subgroup) = subgroups.get(*next).copied() {
                    *next += 1;
                    match visited.get(&subgroup) {
                        Some(None) => closed.in_cycles += 1,
                        Some(Some(_)) => kept.push(subgroup),
                        None => {
                            kept.push(subgroup);
                            let inner = match self.subgroups.contains_key(&subgroup) {
                                true => None,
                                false => Some(within(subgroup)?),
                            };
                            if inner.is_none() {
                                path.push((subgroup, 0, Vec::new()));
                            }
                            visited.insert(subgroup, inner);
                        }
                    }
                    continue;
                }
                let (group, mut kept) = (*group, std::mem::take(kept));
                path.pop();
                let mut all: BTreeSet<GroupId> = kept.iter().copied().collect();
                for subgroup in &kept {
                    let inner = visited
                        .get(subgroup)
                        .and_then(Option::as_deref)
                        .unwrap_or_default();
                    work += inner.len();
                    if work > most.saturating_mul(WORK_OF_PAIR) || pairs + all.len() > most {
                        break;
                    }
                    all.extend(inner);
                }
                if work > most.saturating_mul(WORK_OF_PAIR) || pairs + all.len() > most {
                    closed.beyond += kept.len() as u64;
                    kept.clear();
                    all.clear();
                }
                pairs += all.len();
                let all: Vec<GroupId> = all.into_iter().collect();
                visited.insert(group, Some(all.clone()));
                closed.groups.push((group, kept, all));
            }
        }
        Ok(closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(edges: &[(i64, i64)], most: usize) -> Closed {
        let mut nesting = Nesting::default();
        for (above, below) in edges {
            nesting.add(GroupId(*above), GroupId(*below));
        }
        let within = |group: GroupId| -> Result<Vec<GroupId>, ()> {
            Ok(if group == GroupId(9) {
                vec![GroupId(8)]
            } else {
                Vec::new()
            })
        };
        nesting.close(most, within).unwrap()
    }

    fn all_of(closed: &Closed, group: i64) -> Vec<i64> {
        let found = closed.groups.iter().find(|(id, ..)| *id == GroupId(group));
        found.unwrap().2.iter().map(|id| id.get()).collect()
    }

    #[test]
    fn a_group_contains_what_is_in_its_subgroups() {
        let found = closed(&[(1, 2), (2, 3), (1, 4), (4, 3), (3, 9)], 100);
        assert_eq!(all_of(&found, 1), [2, 3, 4, 8, 9]);
        assert_eq!(all_of(&found, 3), [8, 9]);
        assert_eq!((found.in_cycles, found.beyond), (0, 0));
    }

    #[test]
    fn the_row_that_closes_a_cycle_is_left_out() {
        let found = closed(&[(5, 4), (4, 6), (6, 5), (7, 7)], 100);
        assert_eq!(all_of(&found, 5), [4, 6]);
        assert_eq!(all_of(&found, 6), [0; 0]);
        assert_eq!((found.in_cycles, found.beyond), (2, 0));
    }

    #[test]
    fn a_deep_nesting_is_bounded() {
        let chain: Vec<(i64, i64)> = (0..3_000).map(|id| (id + 10, id + 11)).collect();
        let found = closed(&chain, 10_000);
        let pairs: usize = found.groups.iter().map(|(_, _, all)| all.len()).sum();
        assert!(pairs <= 10_000, "{pairs}");
        assert!(found.beyond > 0);
        let found = closed(&chain, 5_000_000);
        assert_eq!(all_of(&found, 10).len(), 3_000);
    }
}
