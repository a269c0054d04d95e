//! Who can be compared with whom: components of small dense graphs, given as a test for edges
//! between 0..n.

/// The connected components of an undirected graph, each in ascending order, the one with the
/// lowest node first.
pub(crate) fn components(n: usize, joined: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    collect_reached(0..n, n, joined)
}

/// The strongly connected components of a directed graph, each in ascending order; where an edge
/// leads from one to another, the one it leaves comes first. (Kosaraju's two passes; Sharir 1981.)
pub(crate) fn strong_components(n: usize, edge: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    // Kosaraju: in this order, and against the edges, a search cannot leave its component.
    let roots = finish_order(n, &edge).into_iter().rev();
    collect_reached(roots, n, |from, to| edge(to, from))
}

/// From each root in turn the nodes it reaches that no earlier root did, in ascending order.
fn collect_reached(
    roots: impl Iterator<Item = usize>,
    n: usize,
    edge: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<usize>> {
    let (mut seen, mut found) = (vec![false; n], Vec::new());
    for root in roots {
        if !seen[root] {
            let mut component = reach(root, n, &mut seen, &edge);
            component.sort_unstable();
            found.push(component);
        }
    }
    found
}

/// For a graph whose edges all lead from lower to higher nodes: `table[i][j]` says whether a path
/// leads from i to j.
pub(crate) fn reachability(n: usize, edge: impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
    let mut table = vec![vec![false; n]; n];
    for from in (0..n).rev() {
        for to in (from + 1..n).filter(|&to| edge(from, to)) {
            let beyond = table[to].clone();
            table[from][to] = true;
            for (here, there) in table[from].iter_mut().zip(beyond) {
                *here |= there;
            }
        }
    }
    table
}

/// Whether a path leads from one node to another.
pub(crate) fn reaches(
    n: usize,
    from: usize,
    to: usize,
    edge: impl Fn(usize, usize) -> bool,
) -> bool {
    reach(from, n, &mut vec![false; n], &edge).contains(&to)
}

/// The nodes not seen before that can be reached from `start`, itself included; they are seen
/// afterwards.
fn reach(
    start: usize,
    n: usize,
    seen: &mut [bool],
    edge: &impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    let (mut found, mut done) = (vec![start], 0);
    seen[start] = true;
    while let Some(&node) = found.get(done) {
        done += 1;
        let next: Vec<usize> = (0..n)
            .filter(|&next| !seen[next] && edge(node, next))
            .collect();
        for &next in &next {
            seen[next] = true;
        }
        found.extend(next);
    }
    found
}

/// The nodes in the order in which a depth-first search leaves them. The path is a list, since a
/// long chain of nodes would be too deep for the stack.
fn finish_order(n: usize, edge: &impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let (mut seen, mut order) = (vec![false; n], Vec::with_capacity(n));
    for root in 0..n {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.pop() {
            if let Some(to) = (next..n).find(|&to| !seen[to] && edge(node, to)) {
                seen[to] = true;
                path.extend([(node, to + 1), (to, 0)]);
            } else {
                order.push(node);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(edges: &[(usize, usize)]) -> impl Fn(usize, usize) -> bool {
        move |i, j| edges.contains(&(i, j))
    }

    #[test]
    fn components_are_found() {
        let edges = [(0, 2), (2, 0), (1, 3), (3, 1)];
        assert_eq!(
            components(5, graph(&edges)),
            [vec![0, 2], vec![1, 3], vec![4]]
        );
    }

    #[test]
    fn strong_components_come_in_order() {
        // 3 -> {0, 1} -> 2, where 0 and 1 lead to each other.
        let edges = [(3, 0), (0, 1), (1, 0), (1, 2)];
        assert_eq!(
            strong_components(4, graph(&edges)),
            [vec![3], vec![0, 1], vec![2]]
        );
    }

    #[test]
    fn paths_are_found() {
        let table = reachability(4, graph(&[(0, 1), (1, 3)]));
        assert_eq!(table[0], [false, true, false, true]);
        assert_eq!(table[2], [false; 4]);
    }

    /// The slow twin: Warshall's closure.
    fn closure(n: usize, edge: &impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
        let mut path: Vec<Vec<bool>> = (0..n)
            .map(|i| (0..n).map(|j| i == j || edge(i, j)).collect())
            .collect();
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    path[i][j] |= path[i][k] && path[k][j];
                }
            }
        }
        path
    }

    proptest! {
        #[test]
        fn strong_components_meet_their_twin(edges in proptest::collection::vec((0usize..7, 0usize..7), 0..20)) {
            let (edge, parts) = (graph(&edges), strong_components(7, graph(&edges)));
            let path = closure(7, &edge);
            let part_of = |i| parts.iter().position(|part| part.contains(&i)).unwrap();
            for (i, j) in (0..7).flat_map(|i| (0..7).map(move |j| (i, j))) {
                prop_assert_eq!(path[i][j] && path[j][i], part_of(i) == part_of(j));
                prop_assert!(!path[i][j] || part_of(i) <= part_of(j));
            }
        }
    }
}
