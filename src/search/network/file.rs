//! The files of networks: safetensors with metadata.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use ndarray::{Array1, Array2};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde::Deserialize;

use super::error::NetworkError;
use super::layer::{Convolution, Layer, Linear};
use super::{Contents, Observation};
use crate::game::environment::Rewards;

/// The name of the format, in the metadata.
const FORMAT: &str = "propjit-network";

/// The version that is read.
const VERSION: &str = "1";

/// The layers, as the metadata have them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layers {
    body: Vec<Spec>,
    policy: Vec<Spec>,
    value: Vec<Spec>,
}

/// A layer, with the name of its tensors.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Spec {
    Convolution(String),
    Linear(String),
    Relu,
    Tanh,
    Flatten,
    Residual(Vec<Spec>),
}

/// Reads the network in a file.
pub(super) fn read(path: &Path) -> Result<Contents, NetworkError> {
    let bytes = fs::read(path).map_err(|source| NetworkError::Io {
        path: path.to_path_buf(),
        source,
    })?;
    let wrong = |reason: String| NetworkError::Format {
        path: path.to_path_buf(),
        reason,
    };
    let (_, header) = SafeTensors::read_metadata(&bytes)
        .map_err(|error| wrong(format!("it is not in the safetensors format ({error})")))?;
    let none = HashMap::new();
    let metadata = header.metadata().as_ref().unwrap_or(&none);
    let entry = |key: &str| {
        let entry = metadata.get(key).map(String::as_str);
        entry.ok_or_else(|| wrong(format!("its metadata have no `{key}`")))
    };
    if entry("format")? != FORMAT {
        return Err(wrong(format!("its `format` is not `{FORMAT}`")));
    }
    if entry("version")? != VERSION {
        return Err(NetworkError::Version {
            path: path.to_path_buf(),
            found: entry("version")?.to_string(),
            known: VERSION,
        });
    }
    let observation = match entry("observation")? {
        "fluents" => Observation::Fluents,
        "planes" => Observation::Planes { relative: true },
        "absolute-planes" => Observation::Planes { relative: false },
        other => return Err(wrong(format!("it observes `{other}`, which is not known"))),
    };
    let rewards = match entry("rewards")? {
        "zero-sum" => Rewards::ZeroSum,
        "goals" => Rewards::Goals,
        other => {
            return Err(wrong(format!(
                "its rewards are `{other}`, which is not known"
            )));
        }
    };
    let layers: Layers = serde_json::from_str(entry("layers")?)
        .map_err(|error| wrong(format!("its layers cannot be read ({error})")))?;
    let tensors = SafeTensors::deserialize(&bytes).map_err(|error| wrong(error.to_string()))?;
    let load = |specs: Vec<Spec>| load(specs, &tensors).map_err(wrong);
    Ok(Contents {
        path: path.to_path_buf(),
        game: entry("game")?.to_string(),
        observation,
        rewards,
        body: load(layers.body)?,
        policy: load(layers.policy)?,
        value: load(layers.value)?,
    })
}

fn load(specs: Vec<Spec>, tensors: &SafeTensors<'_>) -> Result<Vec<Layer>, String> {
    let layers = specs.into_iter().map(|spec| {
        Ok(match spec {
            Spec::Convolution(name) => {
                let (shape, weight) = tensor(tensors, &name, "weight")?;
                let &[outputs, inputs, height, width] = &shape[..] else {
                    return Err(format!("`{name}.weight` must have four dimensions"));
                };
                if height % 2 == 0 || width % 2 == 0 {
                    return Err(format!("the kernel of `{name}` must have odd sizes"));
                }
                let weight = matrix(&name, [outputs, inputs * height * width], weight)?;
                Layer::Convolution(Convolution {
                    bias: bias(tensors, &name, outputs)?,
                    weight,
                    inputs,
                    kernel: [height, width],
                    name,
                })
            }
            Spec::Linear(name) => {
                let (shape, weight) = tensor(tensors, &name, "weight")?;
                let &[outputs, inputs] = &shape[..] else {
                    return Err(format!("`{name}.weight` must have two dimensions"));
                };
                Layer::Linear(Linear {
                    bias: bias(tensors, &name, outputs)?,
                    weight: matrix(&name, [outputs, inputs], weight)?,
                    name,
                })
            }
            Spec::Relu => Layer::Relu,
            Spec::Tanh => Layer::Tanh,
            Spec::Flatten => Layer::Flatten,
            Spec::Residual(specs) => Layer::Residual(load(specs, tensors)?),
        })
    });
    layers.collect()
}

fn matrix(name: &str, shape: [usize; 2], elements: Vec<f32>) -> Result<Array2<f32>, String> {
    let matrix = Array2::from_shape_vec(shape, elements);
    matrix.map_err(|error| format!("`{name}.weight`: {error}"))
}

fn bias(tensors: &SafeTensors<'_>, name: &str, outputs: usize) -> Result<Array1<f32>, String> {
    let (shape, bias) = tensor(tensors, name, "bias")?;
    match shape[..] == [outputs] {
        true => Ok(Array1::from_vec(bias)),
        false => Err(format!("`{name}.bias` must have {outputs} elements")),
    }
}

/// Returns the shape and the elements of a tensor, which must be finite.
fn tensor(
    tensors: &SafeTensors<'_>,
    name: &str,
    part: &str,
) -> Result<(Vec<usize>, Vec<f32>), String> {
    let full = format!("{name}.{part}");
    let found: TensorView<'_> =
        (tensors.tensor(&full)).map_err(|_| format!("it has no tensor `{full}`"))?;
    if found.dtype() != Dtype::F32 {
        return Err(format!("`{full}` must be of 32-bit floating-point numbers"));
    }
    let bytes = found.data().chunks_exact(4);
    let elements = bytes.map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let elements: Vec<f32> = elements.collect();
    match elements.iter().all(|element| element.is_finite()) {
        true => Ok((found.shape().to_vec(), elements)),
        false => Err(format!("`{full}` has elements that are not finite")),
    }
}
