//! Usage: relations that nothing depends on, some of which are misspelt keywords.

use super::spelling::{are_alike, run_together};
use crate::diagnostic::{Code, Diagnostic, quote};
use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Keyword, Literal, Relation, Rules};

/// Reports relations that have rules but occur in no condition. If the name is nearly that of
/// a keyword, or of a relation that is used, and the number of arguments is the same, that one is
/// probably meant. The rules must be complete, that is, without errors so far.
pub(crate) fn check_usage(rules: &[PlacedRule], workspace: &mut Workspace) {
    let Workspace {
        terms,
        relations,
        diagnostics,
    } = workspace;
    let mut is_used = vec![false; relations.list.len()];
    for placed in rules {
        for atom in placed.rule.body.iter().filter_map(Literal::atom) {
            is_used[atom.relation.index()] = true;
        }
    }
    let numbered = relations.list.iter().enumerate();
    let known: Vec<(&str, usize)> = numbered
        .filter(|&(index, _)| index < Keyword::ALL.len() || is_used[index])
        .map(|(_, relation)| (terms.name(relation.name), relation.arity))
        .collect();
    for placed in rules {
        let relation = placed.rule.head.relation;
        // The first rule is reported, it stands for all.
        if Rules::keyword(relation).is_some()
            || relations.is_auxiliary(terms, relation)
            || std::mem::replace(&mut is_used[relation.index()], true)
        {
            continue;
        }
        let Relation { name, arity } = relations.list[relation.index()];
        let name = terms.name(name);
        let is_near = |other: &&(&str, usize)| other.1 == arity && are_alike(name, other.0);
        let unused = format!("nothing depends on the relation {}", quote(name));
        // The words of a title are facts, too.
        let is_bare = diagnostics.source().slice(placed.rule.span) == name;
        diagnostics.push(match known.iter().find(is_near) {
            None if is_bare => {
                let message = format!("nothing depends on the bare name {}", quote(name));
                Diagnostic::warning(Code::BareName, message)
                    .at(placed.head, "read as a fact")
                    .help("start comments with `;`")
            }
            Some((other, _)) => Diagnostic::warning(Code::NearMiss, unused)
                .at(placed.head, "has no effect")
                .help(format!("did you mean {}?", quote(other))),
            None => {
                let (code, help) = match run_together(name, arity) {
                    Some((_, meant)) => {
                        let help = format!("did you mean {}?", quote(&meant));
                        (Code::MissingBlank, help)
                    }
                    None => {
                        let help = "check the spelling, or remove it".to_string();
                        (Code::UnusedRelation, help)
                    }
                };
                Diagnostic::warning(code, unused)
                    .at(placed.head, "has no effect")
                    .help(help)
            }
        });
    }
}
